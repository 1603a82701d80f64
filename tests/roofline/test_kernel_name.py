"""What names of real kernels tell: tensor cores or not, and the output tile."""

from __future__ import annotations

import pytest

from roofwatch.roofline.kernel_name import shares_tiles, tile, uses_tensor_cores

XMMA = "execute_kernel__5x_cublas"
INT8 = "cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn_align16"
HALF = "cutlass_80_tensorop_s16816gemm_f16_128x64_64x3_nn_align8"
BLOCK_SCALED = "cutlass3x_sm100_bstensorop_s256x256x64gemm_block_scaled_ue4m3xe2m1"

ON_TENSOR_CORES = [
    # Hopper and Blackwell
    ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", (256, 128)),
    ("nvjet_sm90_qqtst_128x160_128x5_2x1_v_bz_coopA_algo2_TNT", (128, 160)),
    ("nvjet_hsh_320x128_64x3_1x2_h_bz_coopB_NNN", (320, 128)),
    ("nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_bias_TNT", (128, 256)),
    ("nvjet_sm100_tst_8x64_64x16_4x1_v_bz_TNN", (8, 64)),  # decode: one side is a few tokens
    ("nvjet_tss_64x8_64x16_2x1_v_bz_splitK_TNT", (64, 8)),
    ("nvjet_tst_256x8_64x6_2x1_v_bz_TNT", (256, 8)),
    (
        "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x256x32_warpgroupsize2x1x1_"
        "execute_segment_k_off_kernel__5x_cublas",
        (128, 256),
    ),
    (
        "sm90_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize128x128x16_stage3_warpsize4x2x1_"
        f"tensor16x8x16_{XMMA}",
        (128, 128),
    ),
    (f"{BLOCK_SCALED}_f32_void_bf16_256x256x256_0_tnn_align32_2sm", (256, 256)),
    # Ampere
    ("ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_tn", (256, 128)),
    ("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn", (128, 256)),
    ("ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn", (64, 64)),
    ("ampere_s16816gemm_fp16_128x64_ldg8_stages_64x4_nn", (128, 64)),
    ("ampere_h16816gemm_128x128_ldg8_stages_64x3_nn", (128, 128)),
    ("ampere_int32_i16832gemm_int8_256x128_ldg16_stages_64x3_tn", (256, 128)),
    (f"void cutlass::Kernel2<{INT8}>({INT8}::Params)", (128, 256)),
    (f"void cutlass::Kernel<{HALF}>({HALF}::Params)", (128, 64)),
    ("cutlass_80_tensorop_s1688gemm_256x128_16x3_tn_align4", (256, 128)),
    ("cutlass_80_tensorop_d884gemm_128x64_16x3_nn_align1", (128, 64)),
    ("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x2_nn_align8", (32, 32)),
    (
        "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_"
        f"tensor16x8x16_{XMMA}",
        (128, 128),
    ),
    # Turing and Volta
    ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", (128, 128)),
    ("turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_stages_32x1_tn", (256, 128)),
    ("turing_h1688gemm_128x128_ldg8_nn", (128, 128)),
    ("turing_int8_i8816gemm_int8_256x128_ldg16_nt", (256, 128)),
    ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", (128, 128)),
    ("volta_h884gemm_64x64_ldg8_nn", (64, 64)),
]

GEMV = "void gemv2T_kernel_val<int, int, __half, __half, __half, float, 128, 16, 4, 4, false>"

ON_CUDA_CORES = [
    (
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_"
        f"aligna4_alignc4_{XMMA}",
        (256, 128),
    ),
    ("cutlass_80_simt_sgemm_256x128_8x4_nn_align1", (256, 128)),
    ("ampere_sgemm_128x64_tn", (128, 64)),
    ("volta_sgemm_128x64_nn", (128, 64)),
    ("volta_sgemm_32x32_sliced1x4_nn", (32, 32)),
    ("volta_dgemm_64x64_nt", (64, 64)),
    ("volta_hgemm_128x128_nn", (128, 128)),
    ("maxwell_fp16_sgemm_fp16_64x64_tn", (64, 64)),
    (f"{GEMV}(cublasGemvParamsEx<int>, float, float)", None),
    ("void gemmSN_NN_kernel<float, 256, 4, 2, 8, 3, 4, false>(cublasGemmSmallNParams)", None),
]

SILENT = [
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctorOnSelf_add<c10::Half>"
    ", std::array<char*, 2ul> >(int, at::native::CUDAFunctorOnSelf_add<c10::Half>)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(at::native::ReduceOp)",
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, __half, float, __half, true>()",
    "Memcpy DtoD (Device -> Device)",
    "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN",  # AMD's: another grammar
    "",
]


@pytest.mark.parametrize(("name", "found"), ON_TENSOR_CORES)
def test_a_kernel_of_tensor_cores(name: str, found: tuple[int, int]) -> None:
    assert uses_tensor_cores(name) is True
    assert tile(name) == found


@pytest.mark.parametrize(("name", "found"), ON_CUDA_CORES)
def test_a_kernel_of_cuda_cores(name: str, found: tuple[int, int] | None) -> None:
    assert uses_tensor_cores(name) is False
    assert tile(name) == found


@pytest.mark.parametrize("name", SILENT)
def test_a_name_that_is_silent(name: str) -> None:
    assert uses_tensor_cores(name) is None
    assert tile(name) is None


def test_the_shape_of_one_instruction_is_no_tile() -> None:
    atoms = "cute::MMA_Atom<cute::SM90_64x128x16_F32BF16BF16_SS>", "cute::SM80_16x8x16_F32F16F16F32"
    assert [tile(name) for name in atoms] == [None, None]
    assert tile("cute::SM100_128x256x16_F16") is None


def test_a_name_cut_short_still_tells() -> None:
    assert tile("nvjet_sm90_tst_256x128_6") == (256, 128)
    assert uses_tensor_cores("nvjet_sm90_tst_256x") is True


@pytest.mark.parametrize(
    ("name", "shared"),
    [
        ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", False),
        ("nvjet_sm90_tst_128x64_64x8_2x1_v_bz_splitK_TNT", True),
        ("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn_split_k", True),
        ("sm90_xmma_gemm_f16_tilesize128x128x64_execute_kernel_streamk", True),
        ("cutlass::gemm::device::GemmUniversal<StreamK>", True),
        ("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_execute_segment_k_off_kernel__5x_cublas", False),
    ],
)
def test_a_kernel_that_shares_its_tiles(name: str, shared: bool) -> None:
    assert shares_tiles(name) is shared

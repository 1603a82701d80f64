"""Every theme has every style, can be read on its ground, and suits the terminal that asks."""

from __future__ import annotations

from rich.color import Color

from roofwatch.tui.drawing import palette
from roofwatch.tui.drawing.theme import COLORLESS, CONTRAST, DARK, LIGHT, THEMES, theme_of

TEXT = 4.5  # WCAG 2.2, 1.4.3: of text
LARGE = 3.0  # its least of what must be seen at all
ENHANCED = 7.0  # 1.4.6
FRAMES = ("axis", "axis-here")  # lines and ticks: nothing is read in them alone


def _light(color: Color) -> float:
    assert color.triplet is not None
    parts = [c / 255 for c in color.triplet]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ink: Color, ground: Color) -> float:
    """WCAG's ratio of two colours."""
    a, b = sorted((_light(ink), _light(ground)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def test_every_theme_has_every_style() -> None:
    assert set(palette.STYLES) == {*THEMES, COLORLESS}
    names = [set(styles) for styles in palette.STYLES.values()]
    assert all(found == names[0] for found in names)
    assert {"", "dim-here", "wrong", "point-burst"} <= names[0]


def test_every_style_can_be_read_on_its_ground() -> None:
    for theme in THEMES:
        page = Color.parse(palette.variables(theme)["page"])
        for name, style in palette.STYLES[theme].items():
            assert style.color is not None
            seen = contrast(style.color, style.bgcolor or page)
            least = ENHANCED if theme == CONTRAST else TEXT
            if name.endswith("-here"):
                least = TEXT if theme == CONTRAST else LARGE
            if name in FRAMES and theme != CONTRAST:
                least = LARGE * 0.7
            assert seen >= least, (theme, name, round(seen, 2))


def test_a_terminal_that_says_its_ground_is_light_gets_the_light_theme() -> None:
    assert theme_of({"COLORFGBG": "0;15"}) == LIGHT
    assert theme_of({"COLORFGBG": "0;default;7"}) == LIGHT
    assert theme_of({"COLORFGBG": "15;0"}) == DARK
    assert theme_of({"COLORFGBG": "x"}) == theme_of({}) == DARK


def test_without_colours_weight_and_reverse_say_it() -> None:
    for name, style in palette.STYLES[COLORLESS].items():
        assert style.color is None
        assert style.bgcolor is None
        assert bool(style.reverse) == (palette.style(name).bgcolor is not None)


def test_a_theme_of_another_name_is_drawn_as_the_dark_one() -> None:
    assert palette.style("burst", "textual-dark") == palette.style("burst", DARK)

"""The models that a session says it ran, as its file has them: read into shapes, or refused."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from roofwatch.roofline.model import Model
from roofwatch.roofline.models import MOST, WrongField, checked, whole


def session_models(found: Iterable[object]) -> tuple[Model, ...]:
    """The models of a session event.

    Raises:
        ValueError: a field is missing, of the wrong type or beyond its bound; one line that names
            the model by its place, from 1, and the field.
    """
    models = []
    for number, fields in enumerate(found, 1):
        try:
            model = msgspec.convert(fields, Model)
            for field, most in MOST.items():
                whole(getattr(model, field), field, most)
            models.append(checked(model))
        except msgspec.ValidationError as error:
            raise ValueError(f"models, {number}: {error}") from None
        except WrongField as error:
            raise ValueError(f"models, {number}: {error.field}: {error}") from None
    return tuple(models)

"""What a JSON Schema says of an object.

``jsonschema.validate`` checks the schema each time before it looks at the object, which takes a thousand times as long.
That Airwire's schemas are right ones is said once of each (``cli/test_schema.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema


def validate(instance: Any, schema: Mapping[str, Any]) -> None:
    """Raise ``jsonschema.ValidationError`` where an object is not as its schema says."""
    jsonschema.validators.validator_for(schema)(schema).validate(instance)

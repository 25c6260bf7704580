"""GitHub's own descriptions, held against every exchange of the fake: REST by OpenAPI, GraphQL by its schema.

`complete` fills what an answer must have and the fake does not care about (dozens of links of a repository), from the
same description, so that the fake states only what matters and still cannot drift into fiction.
"""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from graphql import GraphQLSchema, build_schema
from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

HERE = Path(__file__).parent / "openapi"
MOMENT = "2026-01-02T03:04:05Z"


@cache
def description() -> dict[str, Any]:
    return _corrected(json.loads((HERE / "github-rest.json").read_text(encoding="utf-8")))


def _corrected(found: dict[str, Any]) -> dict[str, Any]:
    """Where GitHub is known to answer what its description forgets to allow, and no further.

    - `head.repo` of a pull request is null when its fork was deleted (the webhooks' schema says so).
    - A conclusion is null while a check runs: `nullable` beside an `enum` without null, which the validator takes
      literally.
    """
    schemas = found["components"]["schemas"]
    for name in ("pull-request", "pull-request-simple"):
        head = schemas[name]["properties"]["head"]["properties"]
        head["repo"] = {**schemas["repository"], "nullable": True}
    for schema, name in (("check-run", "conclusion"), ("job", "conclusion")):
        schemas[schema]["properties"][name]["enum"].append(None)
    return found


@cache
def graphql_schema() -> GraphQLSchema:
    return build_schema((HERE / "github.graphql").read_text(encoding="utf-8"))


class Contract:
    """The description with one server's address in it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._openapi = OpenAPI.from_dict(
            {**description(), "servers": [{"url": address}]}, config=Config(spec_validator_cls=None)
        )
        self._defaults: dict[str, Any] = {}

    def request_problem(
        self, method: str, path: str, query: dict[str, Any], headers: dict[str, str], body: bytes
    ) -> str:
        """Why GitHub would not know what to do with this request; "" for a good one."""
        try:
            self._openapi.validate_request(self._request(method, path, query, headers, body))
        except OpenAPIError as error:
            return _told(error)
        return ""

    def response_problem(self, method: str, path: str, status: int, headers: dict[str, str], body: bytes) -> str:
        """Why GitHub could not have answered this; "" for a good one."""
        response = MockResponse(body, status, headers, content_type=headers.get("Content-Type", "").split(";")[0])
        try:
            self._openapi.validate_response(self._request(method, path, {}, {}, b""), response)
        except OpenAPIError as error:
            return _told(error)
        return ""

    def _request(self, method: str, path: str, query: dict[str, Any], headers: dict[str, str], body: bytes) -> Any:
        return MockRequest(
            self._address,
            method.lower(),
            path,
            args=query,
            headers=headers,
            data=body or None,
            content_type="application/json",
        )

    def declares(self, template: str, method: str, status: int) -> bool:
        return str(status) in description()["paths"][template][method.lower()]["responses"]

    def completed(self, template: str, method: str, status: int, value: Any) -> Any:
        """The answer with everything it must have."""
        declared = _resolved(description()["paths"][template][method.lower()]["responses"][str(status)])
        schema = declared.get("content", {}).get("application/json", {}).get("schema")
        return value if schema is None else self._complete(schema, value)

    def _complete(self, schema: dict[str, Any], value: Any) -> Any:
        schema = _merged(schema, value)
        if isinstance(value, list):
            return [self._complete(schema.get("items", {}), item) for item in value]
        if not isinstance(value, dict):
            return value
        known = schema.get("properties", {})
        full = {name: self._complete(known[name], given) if name in known else given for name, given in value.items()}
        for name in schema.get("required", []):
            if name not in full:
                full[name] = self._default(known.get(name, {}))
        return full

    def _default(self, schema: dict[str, Any]) -> Any:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._defaults:
            self._defaults[key] = self._made(schema)
        return deepcopy(self._defaults[key])

    def _made(self, schema: dict[str, Any]) -> Any:
        schema = _merged(schema, None)
        if schema.get("nullable") or not schema:
            return None
        if "enum" in schema:
            return schema["enum"][0]
        match schema.get("type"):
            case "string":
                return self._text(schema)
            case "integer" | "number":
                return schema.get("minimum", 0)
            case "boolean":
                return False
            case "array":
                return []
            case _:
                return self._complete(schema, {})

    def _text(self, schema: dict[str, Any]) -> str:
        match schema.get("format"):
            case "uri":
                return f"{self._address}/elsewhere"
            case "date-time":
                return MOMENT
            case "email":
                return "nobody@example.org"
            case _:
                return "x" * max(0, schema.get("minLength", 0))


def _told(error: BaseException) -> str:
    """The last cause, with what jsonschema says of each place."""
    while error.__cause__ is not None:
        error = error.__cause__
    found = getattr(error, "schema_errors", None)
    if found:
        return "; ".join(f"{'.'.join(map(str, one.absolute_path))}: {one.message[:200]}" for one in found)
    return f"{type(error).__name__}: {error}"


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        _, _, kind, name = schema["$ref"].split("/", 3)
        schema = description()["components"][kind][name.replace("~1", "/").replace("~0", "~")]
    return schema


def _merged(schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """References followed, `allOf` joined, of `oneOf` and `anyOf` the branch that fits the value's kind best."""
    schema = _resolved(schema)
    if "allOf" in schema:
        joined: dict[str, Any] = {key: part for key, part in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            found = _merged(part, value)
            joined["properties"] = {**joined.get("properties", {}), **found.get("properties", {})}
            joined["required"] = [*joined.get("required", []), *found.get("required", [])]
            joined.setdefault("type", found.get("type", "object"))
        return joined
    branches = schema.get("oneOf") or schema.get("anyOf")
    if branches and "properties" not in schema:
        options = [_merged(branch, value) for branch in branches]
        if isinstance(value, dict):
            return max(options, key=lambda one: len(value.keys() & one.get("properties", {}).keys()))
        return dict(options[0])  # also where null is allowed: openapi-core takes none beside a choice
    return schema

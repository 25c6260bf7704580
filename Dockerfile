# The container action. Built in two stages: the first has what building needs, the second only what running needs.
# Nothing here needs BuildKit. A release names the base image by its digest (.github/workflows/release.yml).
ARG BASE=python:3.13-slim
FROM ${BASE} AS build
WORKDIR /src
# What the action runs with: these files alone, each by its hash, as wheels or not at all, so that no foreign build script
# runs. They change seldom, so they come first. `make lock` writes both lists.
COPY requirements ./requirements
RUN python -m venv --without-pip /opt/autofix \
 && pip --python /opt/autofix/bin/python install --quiet --no-cache-dir --compile \
      --require-hashes --only-binary :all: -r requirements/image.txt \
 && python -m venv --without-pip /opt/build \
 && pip --python /opt/build/bin/python install --quiet --no-cache-dir \
      --require-hashes --only-binary :all: -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY autofix ./autofix
RUN pip --python /opt/build/bin/python wheel --quiet --no-cache-dir --no-index --no-deps --no-build-isolation \
      --wheel-dir /wheels . \
 && pip --python /opt/autofix/bin/python install --quiet --no-cache-dir --no-index --no-deps --compile /wheels/*.whl

FROM ${BASE}
LABEL org.opencontainers.image.title="autofix" \
      org.opencontainers.image.description="Turns a failing check on a pull request into a verified commit, or a comment a person can take over from." \
      org.opencontainers.image.licenses="Apache-2.0"
# git: fetch, commit and push by plumbing. bubblewrap: the sandbox where no engine answers.
RUN apt-get update -q \
 && apt-get install -q -y --no-install-recommends git bubblewrap \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/*
COPY --from=build /opt/autofix /opt/autofix
# The base image has no bytecode of the standard library: what a run imports is compiled here, once, not at every start.
RUN /opt/autofix/bin/python -P -c "import autofix.cli.action_run, autofix.cli.admitted, autofix.pipeline.fix, autofix.pipeline.publish, anthropic, docker, github, jinja2, unidiff, re2, tree_sitter_bash" \
 && /opt/autofix/bin/python -P -m autofix action --help >/dev/null
ENV PATH=/opt/autofix/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1
# Root, because the engine's socket and the runner's files are root's. Code of a pull request never runs in this
# container: it runs in siblings, as another user, without capabilities.
# Exec form, so that the runner's SIGINT and SIGTERM reach the process; -P, so that nothing is imported from the workspace.
ENTRYPOINT ["/opt/autofix/bin/python", "-P", "-m", "autofix", "action"]

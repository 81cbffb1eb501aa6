# kimi-tui in a container: docker build -t kimi-tui . && docker run --rm -it -v "$PWD:/work" -e KIMI_API_KEY kimi-tui
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY kimi_tui ./kimi_tui
COPY skills ./skills
COPY themes ./themes
RUN python -m venv /opt/kimi-tui \
 && /opt/kimi-tui/bin/pip install --no-cache-dir --require-hashes -r requirements.lock \
 && /opt/kimi-tui/bin/pip install --no-cache-dir --no-deps .

FROM python:3.13-slim
# Git for what agents do with repositories; bubblewrap holds their commands where the container may make namespaces.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 kimi \
 && install --directory --owner=kimi /work
COPY --from=build /opt/kimi-tui /opt/kimi-tui
ENV PATH=/opt/kimi-tui/bin:$PATH LANG=C.UTF-8 COLORTERM=truecolor
USER 1000
WORKDIR /work
ENTRYPOINT ["kimi-tui"]

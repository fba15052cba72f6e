# The server's own image with the module in it, loaded however the server is started. `make image` builds it.
# SERVER is any image of Redis 7.2 or newer, or Valkey, on glibc (not Alpine); BUILDER may not be newer than it. Names are
# in full: podman and buildah, as Debian has them, look nowhere for a short one.
ARG BUILDER=docker.io/library/rust:1-bookworm
ARG SERVER=docker.io/library/redis:7.4-bookworm

FROM ${BUILDER} AS build
WORKDIR /egg
# What the build needs from outside changes less often than the sources: a layer of its own.
COPY tools/with-libclang tools/wheel.sh tools/
RUN tools/with-libclang true
COPY . .
RUN tools/with-libclang cargo build --release --locked && cp target/release/libegg.so .

FROM ${SERVER}
ARG SERVER
ARG VERSION=
# No licence here: that label is about all that is in the image, and the server has its own.
LABEL org.opencontainers.image.title="EGG" \
	org.opencontainers.image.description="Redis with EGG: takes finished stream entries out of memory safely" \
	org.opencontainers.image.version="${VERSION}" \
	org.opencontainers.image.base.name="${SERVER}"
# Modes are set here: a checkout may have lost them, and a server refuses a module that it may not execute.
COPY --chmod=755 image/entrypoint /usr/local/bin/egg-entrypoint
COPY --chmod=755 image/health /usr/local/bin/egg-health
COPY --chmod=644 LICENSE /usr/local/share/doc/egg/LICENSE
COPY --chmod=755 --from=build /egg/libegg.so /usr/local/lib/redis/modules/libegg.so
# The user redis or valkey of the base images, by number, so that an orchestrator can see that it is not root.
USER 999:999
# While it loads a large file it is not ready, and that is no failure.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m CMD ["egg-health"]
ENTRYPOINT ["egg-entrypoint"]

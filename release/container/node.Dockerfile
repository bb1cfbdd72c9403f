# A node of a cluster: rqlited, started by hence cluster run with the flags on which a
# store relies. The same user as in the image of Hence, which reads the node's file.
#
#   docker build -t hence-node -f dist/container/node.Dockerfile dist/container
FROM rqlite/rqlite:10.2.7
ARG TARGETARCH=amd64
COPY --chown=65532:65532 --chmod=700 data /data
COPY linux-${TARGETARCH}/doc /usr/share/doc/hence
COPY --chmod=755 linux-${TARGETARCH}/hence /usr/local/bin/hence
ENV HOME=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENTRYPOINT ["hence"]
CMD ["cluster", "run", "/data/node"]

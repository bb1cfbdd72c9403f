# A node of a cluster: rqlited with the flags on which a store relies (docs/cluster.md). The
# same user as in the image of Hence, which reads the node's file.
#
#   docker build -t hence-node -f dist/container/node.Dockerfile dist/container
FROM rqlite/rqlite:10.2.7
COPY --chown=65532:65532 --chmod=700 data /data
ENV HOME=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENTRYPOINT ["rqlited", "-fk=true", "-raft-commit-timeout=5ms", "-auto-optimize-int=0h", "-raft-snap-int=2s"]

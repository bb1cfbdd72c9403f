#!/bin/sh
# Makes an authority, and a certificate for each node that is named, in ./certificates:
# ./certificates.sh node1 node2 node3. Whoever has one of these is a node or a client, so
# keep ca.key elsewhere afterwards. The files are for the user of the containers.
set -eu
mkdir -p certificates
cd certificates
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=hence -keyout ca.key -out ca.pem 2>/dev/null
for node in "$@"; do
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$node" -keyout "$node.key" -out "$node.csr" 2>/dev/null
	printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$node" >"$node.ext"
	openssl x509 -req -in "$node.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 -extfile "$node.ext" -out "$node.pem" 2>/dev/null
	rm "$node.csr" "$node.ext"
done
[ "$(id -u)" != 0 ] || chown -R 65532:65532 .

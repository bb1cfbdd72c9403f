#!/bin/sh
# Makes a folder certificates/NODE for each node that is named, which the containers of
# that node see: sudo ./certificates.sh node1 node2 node3. Whoever has what is in one is a
# node or a client. The authority that signs them is in the folder authority, which no
# container sees: keep it elsewhere afterwards, and bring it back to add a node.
set -eu
[ $# -gt 0 ] || { echo "usage: sudo ./certificates.sh NODE..." >&2; exit 2; }
if [ "$(id -u)" != 0 ]; then
	echo "certificates.sh: run it with sudo: it gives the files to user 65532, as whom the containers run" >&2
	exit 1
fi
command -v openssl >/dev/null || { echo "certificates.sh: openssl is not installed" >&2; exit 1; }
umask 077
mkdir -p authority certificates
chmod 755 certificates
[ -e authority/ca.key ] ||
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=hence -keyout authority/ca.key -out authority/ca.pem 2>/dev/null
for node in "$@"; do
	mkdir -p "certificates/$node"
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$node" -keyout "certificates/$node/$node.key" -out authority/request 2>/dev/null
	printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$node" >authority/extensions
	openssl x509 -req -in authority/request -CA authority/ca.pem -CAkey authority/ca.key -CAcreateserial -days 3650 -extfile authority/extensions -out "certificates/$node/$node.pem" 2>/dev/null
	rm authority/request authority/extensions
	cp authority/ca.pem "certificates/$node/ca.pem"
	chown -R 65532:65532 "certificates/$node"
done

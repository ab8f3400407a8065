#!/bin/sh
# Makes the certificates of a NATS cluster: a CA, a certificate per server, and one for the nodes of Tidings. The servers
# accept only clients and servers with a certificate of this CA.
#
#   sh make-certificates.sh FOLDER SERVER...
#
# SERVER is the name or the IP address that TIDINGS_NATS_URL and the routes use. Run the script again with the same folder
# to add a server: it keeps the files that exist.
set -eu
umask 077

if [ $# -lt 2 ]; then
  echo "usage: sh make-certificates.sh FOLDER SERVER..." >&2
  exit 2
fi
folder=$1
shift
mkdir -p "$folder"
cd "$folder"
days=3650

new_key() {
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"
}

# Makes NAME.key and NAME.pem. Arguments: name, extensions of the certificate
certificate() {
  if [ -e "$1.pem" ]; then
    echo "$1.pem exists and is kept"
    return
  fi
  new_key "$1.key"
  printf '%s\n' "$2" > "$1.ext"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$days" -sha256 -extfile "$1.ext" \
    -out "$1.pem" 2> "$1.log" || { cat "$1.log" >&2; exit 1; }
  rm "$1.csr" "$1.ext" "$1.log"
  echo "made $1.pem and $1.key"
}

if [ ! -e ca.pem ]; then
  new_key ca.key
  openssl req -x509 -new -key ca.key -days "$days" -sha256 -subj "/CN=Tidings NATS" \
    -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign,cRLSign" -out ca.pem
  echo "made ca.pem and ca.key"
fi

# A server is also a client: it connects to the other servers.
for server in "$@"; do
  case $server in
    *:*) kind=IP ;;
    *[!0-9.]*) kind=DNS ;;
    *) kind=IP ;;
  esac
  certificate "$server" "subjectAltName=$kind:$server
extendedKeyUsage=serverAuth,clientAuth
keyUsage=digitalSignature"
done

certificate tidings "extendedKeyUsage=clientAuth
keyUsage=digitalSignature"

echo "Keep ca.key in a safe place. No server and no node needs it."

#!/bin/sh
# Writes .env beside compose.yaml, with secrets of its own, unless there is one: a secret that changes makes the data
# unreadable. Keep a copy of the file elsewhere.
set -eu
cd "$(dirname "$0")"
if [ -e .env ]; then
  echo '.env exists and stays as it is.'
  exit 0
fi
umask 077
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# Complete or not there at all. `ln` does not replace a file that appeared in the meantime.
draft=.env.$$
trap 'rm -f "$draft"' EXIT
cat >"$draft" <<END
# The name under which browsers and providers reach this machine.
PARLEY_HOSTNAME=${PARLEY_HOSTNAME:-localhost}
# The port in addresses, such as :8443, unless it is 443.
PARLEY_HTTPS_SUFFIX=${PARLEY_HTTPS_SUFFIX:-}
# Private networks that the nodes may call: receivers of webhooks, a model of your own.
PARLEY_ALLOW_NETWORKS=${PARLEY_ALLOW_NETWORKS:-}
PARLEY_OPERATOR_KEY=$(secret)
PARLEY_SECRET=$(secret)
POSTGRES_PASSWORD=$(secret)
NATS_PASSWORD=$(secret)
END
ln "$draft" .env
echo 'The secrets are in .env: keep a copy of it elsewhere.'

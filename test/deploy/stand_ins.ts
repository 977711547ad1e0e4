/**
 * Images that take the place of the public ones of PostgreSQL, NATS and Caddy, where no registry can be reached: the same
 * variables, arguments and volumes, with the programs of npm and of Debian.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debianRoot } from '../../deploy/image/debian.ts'
import { SYSTEM } from '../../deploy/image/image.ts'
import { imageOf } from '../../deploy/image/oci.ts'
import { directory, type Entries, entriesOf, file } from '../../deploy/image/tar.ts'
import { natsBinary } from '../../runtime/servers/nats.ts'
import { postgresBinaries } from '../../runtime/servers/postgres.ts'
import { unpacked } from '../compat/debian.ts'

const USER = 999

const START_POSTGRES = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
if [ ! -e $data/PG_VERSION ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "create database $POSTGRES_DB" | postgres --single -D $data postgres
fi
exec postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
`

type StandIn = { name: string; entries: Entries; config: object }

/** Debian's Caddy, unpacked. */
export function caddyHome(): Promise<string> {
  return unpacked('caddy', 'bookworm', (apt) => apt('download', 'caddy', 'libzstd1'))
}

/** Writes an archive for each into a directory. Returns them by the variable of compose.yaml that names the image. */
export async function standIns(place: string): Promise<Record<string, { archive: string; image: string }>> {
  const wanted = { ...SYSTEM, 'libc-bin': /^usr\/lib\/locale\/C\.utf8\// }
  const { entries: base } = await debianRoot(wanted, join(place, 'debian'))
  base.set('tmp', directory(0o1777))
  base.set('etc/nsswitch.conf', file('hosts: files dns\n'))
  base.set('etc/passwd', file(`root:x:0:0::/:/bin/sh\npostgres:x:${USER}:${USER}::/tmp:/bin/sh\n`))
  const caddy = await caddyHome()
  const images: Record<string, StandIn> = {
    POSTGRES_IMAGE: {
      name: 'postgres:stand-in',
      entries: new Map([
        ...entriesOf(join(postgresBinaries(), '..'), 'opt/postgres'),
        ['usr/local/bin/start', file(START_POSTGRES, 0o755)],
        ['var/lib/postgresql/data', directory(0o700, USER)],
      ]),
      config: { User: String(USER), Entrypoint: ['start'], Env: ['PATH=/usr/local/bin:/opt/postgres/bin:/usr/bin'] },
    },
    NATS_IMAGE: {
      name: 'nats:stand-in',
      entries: new Map([['usr/local/bin/nats-server', file(readFileSync(natsBinary()), 0o755)]]),
      config: { Entrypoint: ['nats-server'], Env: ['PATH=/usr/local/bin:/usr/bin'] },
    },
    CADDY_IMAGE: {
      name: 'caddy:stand-in',
      entries: new Map([
        ...[...entriesOf(caddy)].filter(([path]) => /^usr\/(?:bin\/caddy|lib\/.*\/libzstd\.so.*)$/.test(path)),
        ['data', directory()],
      ]),
      config: {
        Cmd: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile'],
        Env: ['PATH=/usr/bin', 'XDG_DATA_HOME=/data', 'HOME=/tmp'],
      },
    },
  }
  const written: Record<string, { archive: string; image: string }> = {}
  for (const [variable, { name, entries, config }] of Object.entries(images)) {
    const layers = [
      { says: 'the distribution', entries: base },
      { says: name, entries },
    ]
    const { archive } = await imageOf({ name, layers, config: { ...config }, labels: {}, time: 0, arch: process.arch })
    written[variable] = { archive: join(place, `${variable}.tar`), image: `docker.io/library/${name}` }
    writeFileSync(written[variable].archive, archive)
  }
  return written
}

/** The faults of a history. Each fault begins at one moment and ends at another. */
import type { Member, SimulatedCluster } from './cluster.ts'

/**
 * Begins the fault and returns the function that ends it. `ms` is its duration, and `until` the true time of its end.
 */
type Fault = (cluster: SimulatedCluster, ms: number, until: number) => (() => void) | undefined

const HOUR = 3_600_000

const anyone = ({ world, living }: SimulatedCluster): Member | undefined =>
  living.length > 0 ? world.pick(living) : undefined

const lines = (cluster: SimulatedCluster): Member[] => {
  if (cluster.world.happens(0.4)) return cluster.living
  const one = anyone(cluster)
  return one ? [one] : []
}

/** Changes some lines to PostgreSQL, and changes them back. */
function onLines(set: (member: Member, cluster: SimulatedCluster) => void, unset: (member: Member) => void): Fault {
  return (cluster, _, until) => {
    const struck = lines(cluster)
    for (const member of struck) {
      member.host.hinder(until)
      set(member, cluster)
    }
    return () => struck.forEach(unset)
  }
}

function rowsOf({ server, world }: SimulatedCluster): string[] {
  const { tables } = server
  const states = [...tables.states.keys()].map((address) => `state ${address}`)
  const kinds = [
    states,
    states.filter((row) => row.startsWith('state link/')),
    [...tables.outbox.keys()].map((key) => `outbox ${key}`),
    [...tables.timers.keys()].map((key) => `timer ${key}`),
    [...tables.lanes.keys()].map((source) => `lane ${source}`),
    [...tables.partitions.keys()].map((id) => `partition ${id}`),
    [...tables.nodes.keys()].map((id) => `node ${id}`),
    ['cluster'],
  ].filter((rows) => rows.length > 0)
  return world.pick(kinds)
}

export const faults: Record<string, Fault> = {
  // --- PostgreSQL ---
  'lost-answers': onLines(
    ({ line }, { world }) => {
      line.lost_after = world.pick([0.05, 0.3, 1])
    },
    ({ line }) => {
      line.lost_after = 0
    },
  ),
  'lost-requests': onLines(
    ({ line }, { world }) => {
      line.lost_before = world.pick([0.05, 0.3, 1])
    },
    ({ line }) => {
      line.lost_before = 0
    },
  ),
  'slow-line': onLines(
    ({ line }, { world }) => {
      line.latency_ms = world.pick([20, 200, 1200])
    },
    ({ line }) => {
      line.latency_ms = 1
    },
  ),
  silence: (cluster, _, until) => {
    const [up, down] = cluster.world.pick([
      [true, true],
      [true, false],
      [false, true],
    ])
    for (const { line, host } of lines(cluster)) {
      host.hinder(until)
      if (up) line.silent_up = until
      if (down) line.silent_down = until
    }
    return undefined
  },
  'slow-commits': ({ server, world, living }, _, until) => {
    for (const { host } of living) host.hinder(until)
    server.sync_ms = world.pick([50, 800, 4000])
    return () => {
      server.sync_ms = 0.5
    }
  },
  crash: ({ server }) => {
    server.is_up = false
    server.replace()
    return () => {
      server.is_up = true
    }
  },
  'read-only': ({ server, living }, _, until) => {
    for (const { host } of living) host.hinder(until)
    server.is_read_only = true
    return () => {
      server.is_read_only = false
    }
  },
  demoted: (cluster) => {
    for (const { line } of lines(cluster)) line.demote()
    return undefined
  },
  'lost-commits': (cluster) => {
    promote(cluster, true)
    return undefined
  },
  'lost-commits-untold': (cluster) => {
    promote(cluster, false)
    return undefined
  },
  /** This moment is the most dangerous: a node has just learned that nothing was lost. */
  'lost-commits-after-look': (cluster) => {
    const { server, world } = cluster
    const forget = () => {
      server.looked = () => {}
    }
    server.looked = () => {
      forget()
      const lag = world.pick([20, 100, 300])
      world.at(world.time + world.between(0.1, 5), () => promote(cluster, false, lag))
    }
    return forget
  },
  'database-clock': ({ server, world }) => {
    const offset = world.pick([HOUR, -HOUR, 3000, -3000, 300])
    server.clock_offset += offset
    server.is_turned = true
    return () => {
      server.clock_offset -= offset
    }
  },
  skew: ({ server, world, living }) => {
    if (world.happens(0.5)) {
      server.refuses = world.pick(['42703', '53100', '40001', 'XX000'])
      return () => {
        server.refuses = undefined
      }
    }
    const old = living.filter(() => world.happens(0.5))
    for (const member of old) member.is_old = true
    return () => {
      for (const member of old) member.is_old = false
    }
  },
  locks: (cluster, ms, until) => {
    for (const { host } of cluster.living) host.hinder(until)
    const rows = rowsOf(cluster)
    const count = cluster.world.whole(1, 3)
    for (let i = 0; i < count && rows.length > 0; i++) {
      const row = cluster.world.pick(rows)
      if (cluster.world.is_traced) cluster.world.say('pg', `${row} is locked for ${Math.round(ms)} ms`)
      cluster.server.hold(row, cluster.world.pick(['share', 'update']), ms)
    }
    return undefined
  },
  'locked-state': ({ server, world, locked }, ms) => {
    const addresses = [...server.tables.states.keys()]
    if (addresses.length === 0) return undefined
    const address = world.pick(addresses)
    if (world.is_traced) world.say('pg', `the state of ${address} is locked for ${Math.round(ms)} ms`)
    server.hold(`state ${address}`, 'update', ms)
    locked.add(address)
    return undefined
  },
  // --- NATS ---
  'lost-messages': ({ network, world }) => {
    network.lost = world.pick([0.05, 0.5])
    return () => {
      network.lost = 0
    }
  },
  'repeated-messages': ({ network }) => {
    network.repeated = 0.5
    network.late = 0.2
    return () => {
      network.repeated = 0
      network.late = 0
    }
  },
  'slow-network': ({ network, world }) => {
    network.latency_ms = world.pick([50, 500, 2000])
    return () => {
      network.latency_ms = 1
    }
  },
  islands: ({ network, living, world }) => {
    for (const { host } of living) if (world.happens(0.5)) network.islands.set(host, world.whole(1, 2))
    return () => network.islands.clear()
  },
  'broker-down': ({ network, world }) => {
    network.stop()
    if (world.happens(0.5)) network.wipe()
    return () => network.start()
  },
  'broker-silence': (cluster, _, until) => {
    anyone(cluster)?.broker.silence(until)
    return undefined
  },
  wipe: ({ network }) => {
    network.wipe()
    return undefined
  },
  // --- machines ---
  pause: (cluster, ms) => {
    anyone(cluster)?.host.pause(ms)
    return undefined
  },
  'pause-within': (cluster, ms) => {
    anyone(cluster)?.host.pauseAtReading(cluster.world.whole(1, 60), ms)
    return undefined
  },
  'pause-waiting': (cluster, ms) => {
    const member = anyone(cluster)
    if (member) member.line.pause = { kind: cluster.world.pick(['ask', 'ask', 'commit', 'pool']), ms }
    return () => {
      if (member) member.line.pause = undefined
    }
  },
  kill: (cluster) => {
    const member = anyone(cluster)
    if (member) cluster.kill(member)
    return cluster.world.happens(0.7) ? () => void cluster.add() : undefined
  },
  leave: (cluster) => {
    const member = anyone(cluster)
    if (member && cluster.living.length > 1) cluster.leave(member)
    return cluster.world.happens(0.5) ? () => void cluster.add() : undefined
  },
  join: (cluster) => {
    cluster.add()
    return undefined
  },
  'wall-clock': (cluster) => {
    const offset = cluster.world.pick([HOUR, -HOUR, 31 * 24 * HOUR, -31 * 24 * HOUR, 3000, -3000])
    const member = anyone(cluster)
    if (!member) return undefined
    if (cluster.world.is_traced) cluster.world.say(member.host.name, `has its clock turned by ${offset} ms`)
    member.host.wall_offset += offset
    return () => {
      member.host.wall_offset -= offset
    }
  },
}

/** Faults that strike all nodes alike, or none of their leases: no node may be declared dead because of them. */
export const harmless: readonly string[] = [
  'crash',
  'read-only',
  'lost-messages',
  'repeated-messages',
  'slow-network',
  'islands',
  'broker-down',
  'broker-silence',
  'wipe',
  'join',
  'wall-clock',
  'database-clock',
]

/** Promotes a standby that lacks the commits of the last `lag` milliseconds. */
function promote(cluster: SimulatedCluster, is_told: boolean, lag = cluster.world.pick([0.5, 20, 400, 3000])): void {
  const { server, owners, outside, world } = cluster
  const before = new Map(server.tables.states)
  const letters = new Map(server.tables.outbox)
  // The promotion goes back to a time with a cluster at the earliest.
  const commits = server.tables.rewind(Math.max(world.time - lag, 1500))
  server.replace()
  if (is_told) server.history = `7/${server.generation}`
  owners.promoted_at = world.time
  for (const [address, json] of before) {
    const left = server.tables.states.get(address)
    if (left !== json) owners.lose(address, json, left, outside)
  }
  for (const [key, { address, json }] of letters) {
    if (!server.tables.outbox.has(key))
      owners.lose(address, `{"ids":[${JSON.parse(json).id ?? ''}]}`, undefined, outside)
  }
  if (world.is_traced) world.say('pg', `a standby takes over without the last ${commits} changes`)
}

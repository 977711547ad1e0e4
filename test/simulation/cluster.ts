/** The nodes of a history, on one modelled PostgreSQL and one modelled NATS. */
import { type Log, Node } from '../../runtime/mod.ts'
import { kindsOf } from './actors.ts'
import { Host } from './host.ts'
import { Line } from './line.ts'
import { ModelBroker } from './model_broker.ts'
import { ModelStore } from './model_store.ts'
import { ModelTransport } from './model_transport.ts'
import { Network } from './network.ts'
import { Outside } from './outside.ts'
import { Owners } from './owners.ts'
import { Server } from './server.ts'
import { Watchers } from './watchers.ts'
import type { World } from './world.ts'

/** Milliseconds between the tries of a node that could not start. */
const START_AGAIN_MS = 1000
const BROKER_AGAIN_MS = 200
/** The rates of clocks differ by this share either way, so two clocks differ by less than a tenth. */
const DRIFT = 0.03

export type Member = {
  id: string
  host: Host
  line: Line
  broker: ModelBroker
  /** The node, as soon as it has started. */
  node: Node | undefined
  is_leaving: boolean
  /** True for a node of an older version, which does not know all types of messages. */
  is_old: boolean
}

/** Log entries that a working engine never writes. */
const ALARMS = ['a commit lane failed', 'an effect after a commit failed', 'a message was parked']

export class SimulatedCluster {
  readonly world: World
  readonly server: Server
  readonly network: Network
  readonly owners: Owners
  readonly outside: Outside
  readonly watchers: Watchers
  readonly members: Member[] = []
  readonly findings = new Set<string>()
  /** Actors whose state another session has locked for a while. */
  readonly locked = new Set<string>()
  readonly partitions: number
  readonly #drifts: boolean
  readonly #idle_ms: number
  readonly #inbox_limit: number | undefined

  constructor(world: World, { keeps, drifts }: { keeps: boolean; drifts: boolean }) {
    const find = (text: string) => this.find(text)
    this.world = world
    world.onThrow = ({ message }) => this.find(`thrown: ${message}`)
    this.server = new Server(world, keeps)
    this.network = new Network(world)
    this.owners = new Owners(this.server, find)
    this.outside = new Outside(this.owners, find)
    this.watchers = new Watchers(world, this)
    this.partitions = world.whole(2, 6)
    this.#drifts = drifts
    this.#idle_ms = world.pick([2000, 60_000])
    this.#inbox_limit = world.happens(0.4) ? world.pick([world.whole(2, 6), world.whole(10, 40)]) : undefined
  }

  /** Reports something that must not happen. */
  find(text: string): void {
    if (this.world.is_traced) this.world.say('FOUND', text)
    this.findings.add(text)
  }

  /** The nodes that run and are to stay. */
  get living(): Member[] {
    return this.members.filter(({ host, is_leaving }) => !host.is_dead && !is_leaving)
  }

  /** Early messages of all nodes, dead ones too. */
  get early(): { given: number; fused: number; retracted: number } {
    const early = { given: 0, fused: 0, retracted: 0 }
    for (const { node } of this.members) {
      if (!node) continue
      const { scheduler, lane } = node.stats()
      early.given += scheduler.early
      early.fused += lane.fused
      early.retracted += lane.retracted
    }
    return early
  }

  /** The nodes that serve. */
  get serving(): (Member & { node: Node })[] {
    return this.living.filter((member): member is Member & { node: Node } => member.node !== undefined)
  }

  /** Starts a node on a machine of its own. */
  add(): Member {
    const { world } = this
    const number = this.members.length + 1
    const host = new Host(world, number, `n${number}`, this.#drifts ? world.between(1 - DRIFT, 1 + DRIFT) : 1)
    const digits = world.whole(0, 0xffffff).toString(16).padStart(6, '0')
    const id = `${digits}00000${number.toString(16)}`.slice(0, 12)
    const member: Member = {
      id,
      host,
      line: new Line(host, this.server),
      broker: new ModelBroker(host, this.network),
      node: undefined,
      is_leaving: false,
      is_old: false,
    }
    this.members.push(member)
    host.later(0, () => this.#start(member))
    return member
  }

  #start(member: Member): void {
    const { host, line, broker, id } = member
    const { world, network, outside, partitions, server } = this
    // The process waits for its broker before it starts a node.
    if (!network.is_up) {
      host.clock.after(BROKER_AGAIN_MS, () => this.#start(member))
      return
    }
    if (world.is_traced) world.say(host.name, `starts as ${id}`)
    // The process does the same when it opens the database.
    const sent = host.clock.monotonic()
    host.clock.learn!({ sent, received: sent + 1, database_ms: server.now() })
    const store = new ModelStore(line)
    const isTimely = () => !server.is_turned
    const options = {
      database: undefined as never,
      nats_url: '',
      kinds: kindsOf({ host, store, outside, node: id, isOld: () => member.is_old, isTimely }),
      partitions,
      cluster: {},
      idle_ms: this.#idle_ms,
      isShort: () => world.happens(0.2),
      inbox_limit: this.#inbox_limit,
      clock: host.clock,
      log: this.#log(host),
    }
    const ports = {
      store,
      broker: broker.port,
      transport: new ModelTransport(host, broker, network),
      announcer: this.watchers.announcer(host),
    }
    Node.startWith(id, options, ports).then(
      (node) => {
        member.node = node
        if (world.is_traced) world.say(host.name, 'has started')
      },
      (error) => {
        if (world.is_traced) world.say(host.name, `could not start: ${error.message}`)
        // The process would end and be started anew.
        host.clock.after(START_AGAIN_MS, () => {
          this.kill(member)
          this.add()
        })
      },
    )
  }

  /** Ends the process in the middle of its work. */
  kill(member: Member): void {
    if (member.host.is_dead) return
    if (this.world.is_traced) this.world.say(member.host.name, 'is killed')
    member.host.kill()
    void member.broker.close()
  }

  /** Lets the node leave in order, and ends its process. */
  leave(member: Member): void {
    const { host, node } = member
    if (!node || member.is_leaving) return
    member.is_leaving = true
    host.later(0, () => {
      if (this.world.is_traced) this.world.say(host.name, 'leaves')
      node.stop(1000, 5000).then(
        () => this.kill(member),
        (error) => this.find(`${member.id} could not leave: ${error.message}`),
      )
    })
  }

  #log(host: Host): Log {
    const { world } = this
    const say = (level: string) => (fields: object, message: string) => {
      if (ALARMS.includes(message)) this.find(`said: ${message} ${textOf(fields)}`)
      if (world.is_traced) world.say(host.name, `${level}: ${message} ${textOf(fields)}`)
    }
    return { debug() {}, info: say('info'), warn: say('warn'), error: say('error') }
  }
}

function textOf(fields: object): string {
  return JSON.stringify(fields, (_, value) => (value instanceof Error ? value.message : value))
}

/** Parley's own time in an answer of an assistant, and what many conversations cost that wait for a slow model. */
import { benchmark } from '../benchmark.ts'
import type { Load, Sample } from '../load/loop.ts'
import type { Peer } from '../peer.ts'
import { figureGoal } from '../report/goal.ts'
import { proportionalMebibytes } from '../report/usage.ts'
import { openSender } from '../send/ours.ts'
import { type Parley, startParley } from '../servers/parley.ts'
import { type Remote, startRemote } from '../servers/remote.ts'
import type { AssistantLoad } from './load_host.ts'

const BUSY = '50 conversations at once, a model of 200 ms'
const ALONE = '20 sends/s alone'
const WAITING = '1,000 conversations wait for a model of 10 s'
const HELD = '1,000 conversations wait for a model of 17 s'
const WAITING_COUNT = 1000
const WEB = '5 visitors of the web chat'

/** The benchmark `assistants`. */
export const assistants = benchmark('assistants', 'from a message of a person to the answer at the provider', () => ({
  peers: [parleyPeer()],
  scenarios: [
    { name: BUSY, in_flight: 50, keys: 1, variant: '200' },
    { name: ALONE, in_flight: 1, keys: 1, variant: 'sends' },
    { name: WEB, in_flight: 5, keys: 1, variant: 'web' },
    { name: WAITING, in_flight: WAITING_COUNT, keys: 1, variant: '10000' },
    { name: HELD, in_flight: WAITING_COUNT, keys: 1, variant: '17000' },
  ],
  goals: [
    figureGoal(BUSY, 'parley', 'to model p99 ms', 50),
    figureGoal(BUSY, 'parley', 'to provider p99 ms', 50),
    figureGoal(WEB, 'parley', 'first words to page p99 ms', 100),
    figureGoal(WAITING, 'parley', 'KiB for each conversation', 64),
    figureGoal(HELD, 'parley', 'KiB for each conversation', 64),
  ],
}))

function parleyPeer(): Peer {
  let load: Remote | undefined
  let node: Parley | undefined
  return {
    name: 'parley',
    async start(directory) {
      load = await startRemote('people, model and provider', import.meta.url, './load_host.ts')
      const url = `http://127.0.0.1:${await load.call<number>('port')}`
      const model = { url: `${url}/v1`, context: 32_000 }
      node = await startParley(directory, {
        PARLEY_MODELS: JSON.stringify({ bench: model }),
        PARLEY_MODEL_CALLS: '2000',
      })
      const sender = await openSender(node, url)
      const web_channel_id = await deploy(node, sender.token)
      const { port, webhook_path, token } = sender
      await load.call('target', { port, webhook_path, token, web_channel_id } satisfies AssistantLoad)
    },
    async run(round: Load) {
      const before = proportionalMebibytes(node!.child.pid)
      let most = before
      const watching = setInterval(() => {
        most = Math.max(most, proportionalMebibytes(node!.child.pid))
      }, 500)
      const sample = await load!.call<Sample>('run', round)
      clearInterval(watching)
      const kibibytes = ((most - before) * 1024) / (round.in_flight ?? 1)
      return { ...sample, figures: { ...sample.figures, 'KiB for each conversation': kibibytes } }
    },
    processes: () => ({ parley: node!.child.pid, load: load!.child.pid }),
    async stop() {
      await load?.child.stop()
      await node?.child.stop()
    },
  }
}

/** Makes a web chat, and an assistant that answers everywhere. Resolves to the channel of the chat. */
async function deploy({ admin, port }: Parley, token: string): Promise<string> {
  const me = await fetch(`http://127.0.0.1:${port}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  const { project } = (await me.json()) as { project: { id: string } }
  const made = await admin('POST', '/assistants', { project_id: project.id, name: 'Ana', model: 'bench' })
  const { _id } = (made.assistant ?? made) as { _id: string }
  await admin('PUT', `/assistants/${_id}/deployments`, { deployments: [{ answers: 'always' }] })
  const web = {
    channel_type: 'web',
    provider: 'cloud',
    name: 'Chat',
    credentials: { visitor_secret: 'of the benchmark' },
  }
  return (await admin('POST', '/channels', { project_id: project.id, ...web }))._id as string
}

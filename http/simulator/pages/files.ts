import type { Answer, SimulatorRequest } from '../answer.ts'
import { behaveAs } from '../behave.ts'
import type { AccountChannel, SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import { ReceivedFiles } from '../received_files.ts'
import { DIALECT } from './errors.ts'

type Json = Record<string, unknown>

const FOLDER = 'page_files'

/** Files that people sent to the accounts of one channel. They have addresses here, as those of Meta have at its network. */
export class PageFiles {
  readonly #channel: AccountChannel
  readonly #files = new ReceivedFiles()
  /** Where the client of an account reaches the simulator. */
  readonly #hosts = new Map<string, string>()

  constructor(channel: AccountChannel) {
    this.#channel = channel
  }

  reachedAt({ account_id }: SimulatedAccount, host: string): void {
    this.#hosts.set(account_id, host)
  }

  /** Keeps the bytes of a file (`data` in base64, else a sample of its type), and returns its address. */
  add({ account_id }: SimulatedAccount, mid: string, host: string, { filename, ...file }: Json): string {
    const { media_id } = this.#files.add(mid, file)
    const name = typeof filename === 'string' ? `/${encodeURIComponent(filename)}` : ''
    return `http://${this.#hosts.get(account_id) ?? host}/${FOLDER}/${this.#channel}/${media_id}${name}`
  }

  isAt({ segments: [folder, channel] }: SimulatorRequest): boolean {
    return folder === FOLDER && channel === this.#channel
  }

  /** GET /page_files/{channel}/{media_id}/{filename?}. */
  give(world: World, { segments }: SimulatorRequest): Answer {
    const file = this.#files.get(segments[2])
    const behaviour = world.faults.apply({ channel: this.#channel, operation: 'download' })
    return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () =>
      file ? { status: 200, content_type: file.mime_type, body: file.bytes } : { status: 404 },
    )
  }
}

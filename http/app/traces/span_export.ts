/**
 * Sends spans to a collector by OTLP over HTTP. A bounded queue waits for it: a collector that is away or slow costs
 * spans and nothing else.
 */
import { hostname } from 'node:os'
import {
  DiagLogLevel,
  diag,
  SpanKind as Kind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Log, SpanAttributes, SpanStart } from '../../../runtime/mod.ts'
import { RELEASE } from '../node/release.ts'

const KINDS = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
  internal: Kind.INTERNAL,
}

/** Spans that wait for the collector at most: about a KiB each. */
const MAX_WAITING = 4096
const MAX_BATCH = 512
const PAUSE_MS = 1000
const CALL_MS = 10_000
/** Milliseconds between two lines about a collector that fails. */
const COMPLAINT_MS = 60_000

/** A span that has ended. Times are milliseconds since the epoch. */
export type EndedSpan = Pick<SpanStart, 'name' | 'kind'> & {
  trace_id: string
  span_id: string
  parent_id: string | undefined
  began_at: number
  ended_at: number
  attributes: SpanAttributes
  error: string | undefined
}

export class SpanExport {
  readonly #provider: BasicTracerProvider
  readonly #ids = { trace: '', span: '' }

  /** `url`: the whole address, such as `http://collector:4318/v1/traces`. */
  constructor({ url, node, log }: { url: string; node: string; log: Log }) {
    complainTo(log)
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: CALL_MS })
    const batches = new BatchSpanProcessor(exporter, {
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: MAX_BATCH,
      scheduledDelayMillis: PAUSE_MS,
      exportTimeoutMillis: CALL_MS,
    })
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'parley',
        'service.version': RELEASE,
        'service.instance.id': node,
        'host.name': hostname(),
      }),
      // Spans have their ids before they are recorded: their messages carry them.
      idGenerator: { generateTraceId: () => this.#ids.trace, generateSpanId: () => this.#ids.span },
      spanProcessors: [batches],
    })
  }

  add({ name, kind, trace_id, span_id, parent_id, began_at, ended_at, attributes, error }: EndedSpan): void {
    this.#ids.trace = trace_id
    this.#ids.span = span_id
    const above = parent_id && { traceId: trace_id, spanId: parent_id, traceFlags: TraceFlags.SAMPLED, isRemote: true }
    const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT
    const options = { kind: KINDS[kind], startTime: began_at, attributes }
    const span = this.#provider.getTracer('parley', RELEASE).startSpan(name, options, context)
    if (error !== undefined) {
      span.setAttribute('error.type', error)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end(ended_at)
  }

  /** Sends what waits, within the time of a call. */
  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => {})
  }
}

/** The library reports to one place in a process. */
function complainTo(log: Log): void {
  let quiet_until = Number.NEGATIVE_INFINITY
  const complain = (text: string) => {
    const now = performance.now()
    if (now < quiet_until) return
    quiet_until = now + COMPLAINT_MS
    log.warn({ error: messageOf(text).slice(0, 500) }, 'traces could not be sent, and are lost')
  }
  const nothing = () => {}
  const logger = { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

/** The library's own errors are the JSON of their fields, with a stack. */
function messageOf(text: string): string {
  try {
    const { message, name, code } = JSON.parse(text)
    return String(message || code || name)
  } catch {
    return text
  }
}

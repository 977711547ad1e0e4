/**
 * A collector of traces, as far as tests need one: it reads OTLP over HTTP with protobuf.js by the published schema, so the
 * library that sends does not judge itself.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import protobuf from 'protobufjs'
import type { Owner } from '../support/mod.ts'

/** The parts of opentelemetry-proto 1.x that traces use. Fields that are not named here are read over. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
  message InstrumentationScope { string name = 1; string version = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`)
const REQUEST = root.lookupType('ExportTraceServiceRequest')

export type CollectedSpan = {
  trace_id: string
  span_id: string
  /** Empty at the root of a trace. */
  parent_id: string
  name: string
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  /** Nanoseconds since the epoch, as decimal texts. */
  began: bigint
  ended: bigint
  attributes: Record<string, unknown>
  /** 2: error. */
  status: number
  resource: Record<string, unknown>
}

export type Collector = {
  url: string
  spans: CollectedSpan[]
  /** The headers of the last call. */
  headers: Record<string, unknown>
  /** Sets the status of the answers. */
  status: number
}

export async function startCollector(t: Owner): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      collector.headers = request.headers
      if (collector.status === 200) collector.spans.push(...spansOf(Buffer.concat(chunks)))
      response.writeHead(collector.status, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const collector: Collector = { url: `http://127.0.0.1:${port}/v1/traces`, spans: [], headers: {}, status: 200 }
  return collector
}

type Decoded = {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: DecodedSpan[] }[] }[]
}
type Pair = { key: string; value: Record<string, unknown> }
type DecodedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Pair[]
  status: { code: number } | null
}

function spansOf(body: Buffer): CollectedSpan[] {
  const options = { longs: String, bytes: String, defaults: true }
  const decoded = REQUEST.toObject(REQUEST.decode(body), options) as Decoded
  return decoded.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        trace_id: hex(span.traceId),
        span_id: hex(span.spanId),
        parent_id: hex(span.parentSpanId),
        name: span.name,
        kind: span.kind,
        began: BigInt(span.startTimeUnixNano),
        ended: BigInt(span.endTimeUnixNano),
        attributes: objectOf(span.attributes),
        status: span.status?.code ?? 0,
        resource: objectOf(resource.attributes),
      })),
    ),
  )
}

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')

function objectOf(pairs: Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}

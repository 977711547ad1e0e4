/** The place of a node: facts beyond its settings, and what its start gives back. */

import type { ConversationWaits } from '../../../actors/mod.ts'

/** Timeouts in milliseconds and other bounds, with production defaults: tests set them shorter. */
export type Waits = {
  /** Wait for the status callback of a message in doubt, before it is sent again. */
  confirm_ms?: number
  /** Time between two probes whether the provider of a channel still accepts the account. */
  probe_ms?: number
  /** Wait for the provider's answer to a send. */
  send_ms?: number
  /** Limit of one whole webhook attempt. */
  webhook_ms?: number
  /** Limit of all provider calls of one request. */
  operation_ms?: number
  /** Time after which another request may take an idempotency key whose node died during such work. */
  claim_ms?: number
  /** Seconds of processor time that a conversion of a document may take. */
  conversion_cpu_s?: number
  /** Time between two searches for tokens that expire soon. */
  token_search_ms?: number
  /** Minimum age of an overview for operators before the next one is made. */
  overview_ms?: number
  /** Time after which an erasure asks actors again that have not answered. */
  erasure_ask_ms?: number
  /** Maximum messages of a channel in memory. */
  channel_items?: number
  /** Times of the conversations of assistants. */
  conversation?: Partial<ConversationWaits>
}

/** Facts about a node's place beyond its settings. Plain data, so that it can be passed to a process. */
export type NodePlace = {
  database_url: string
  nats_url: string
  secret: string | undefined
  operator_key: string | undefined
  /** The servers belong to this start and this is its only node: no other can have partitions. */
  alone: boolean
  /** Other processes listen on the port too. */
  shared_port: boolean
  /** Number of the process, from 1, as a label of its metrics. Missing when it is the only one. */
  process?: number
  waits: Waits
}

export type ApiNode = {
  id: string
  port: number
  /** Its metrics in Prometheus' text form. */
  metrics(): Promise<string>
  /** Reports not ready from now on, and works on until it is stopped. */
  leave(): void
  stop(): Promise<void>
}

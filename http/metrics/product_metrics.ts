/** Metrics of the work for tenants, of this node. No label names a tenant. */
import { channelTypes } from '../../storage/mod.ts'
import type { MetricGroup } from './metric.ts'

const CHANNEL = channelTypes
/** A provider has 20 s to answer, a receiver of webhooks 15 s. */
const CALLS = [0.05, 0.2, 1, 5, 20] as const
const FILES = [0.1, 0.5, 2, 10, 60] as const
const FETCHED = ['stored', 'delayed', 'failed'] as const

export const PRODUCT = {
  title: 'Sends, webhooks and broadcasts',
  owner: 'http/app/metrics/product_metrics.ts',
  metrics: {
    parley_sends_total: {
      type: 'counter',
      unit: '',
      help: 'Tries to send a message, by channel and what came of it: accepted, or how it failed.',
      labels: { channel: CHANNEL, outcome: ['accepted', 'retry', 'slow_down', 'refuse', 'disconnect', 'unknown'] },
      is_rare: true,
    },
    parley_provider_call_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time until a provider has answered a try to send a message, by channel.',
      labels: { channel: CHANNEL },
      buckets: CALLS,
      is_rare: true,
    },
    parley_provider_unknown_total: {
      type: 'counter',
      unit: '',
      help: "Parts of providers' webhook calls that were left out, by channel and field; foreign_account: no channel has it.",
      labels: { provider: 'providers', field: '40 fields of each provider; other for the rest' },
      is_rare: true,
    },
    parley_deliveries_total: {
      type: 'counter',
      unit: '',
      help: 'Webhook deliveries by what an attempt made of them: success, waiting (it is made again), failed or dead.',
      labels: { outcome: ['success', 'waiting', 'failed', 'dead'] },
      is_rare: true,
    },
    parley_webhook_attempt_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time from the beginning of an attempt at a webhook to its end, by what came of it.',
      labels: { outcome: ['success', 'retryable', 'final'] },
      buckets: CALLS,
      is_rare: true,
    },
    parley_broadcast_rate_limit: {
      type: 'gauge',
      unit: '',
      help: 'Recipients a second that all broadcasts of this node may take up while other work waits.',
    },
    parley_foreground_commit_seconds: {
      type: 'gauge',
      unit: 'seconds',
      help: 'Mean time from decision to commit of writes that clients and people wait for, as last seen by a broadcast.',
      is_rare: true,
    },
    parley_foreground_commit_undisturbed_seconds: {
      type: 'gauge',
      unit: 'seconds',
      help: 'The same without broadcasts.',
      is_rare: true,
    },
    parley_agent_tool_call_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time until a tool of an agent has answered, by what came of it: succeeded or failed.',
      labels: { outcome: ['succeeded', 'failed'] },
      buckets: CALLS,
      is_rare: true,
    },
  },
} as const satisfies MetricGroup

export const MEDIA = {
  title: 'Files that people send',
  owner: 'http/app/metrics/media_fetch_metrics.ts',
  metrics: {
    parley_media_fetches_total: {
      type: 'counter',
      unit: '',
      help: 'Attempts to fetch a file that a person sent, by channel and what came of them: stored, delayed (it is tried again) or failed.',
      labels: { channel: CHANNEL, outcome: FETCHED },
      is_rare: true,
    },
    parley_media_fetch_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time of an attempt to fetch a file that a person sent, with the wait for a place.',
      labels: { channel: CHANNEL },
      buckets: FILES,
      is_rare: true,
    },
  },
} as const satisfies MetricGroup

export const KNOWLEDGE = {
  title: 'The index of knowledge',
  owner: 'http/app/metrics/knowledge_metrics.ts',
  metrics: {
    parley_knowledge_indexed_total: {
      type: 'counter',
      unit: '',
      help: 'Documents of which this node indexed a change, or which it took out of the index.',
    },
    parley_knowledge_failed_total: { type: 'counter', unit: '', help: 'Documents that this node gave up.' },
    parley_knowledge_batch_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time in which this node indexed a batch of documents.',
      buckets: CALLS,
    },
  },
} as const satisfies MetricGroup

export const KNOWLEDGE_IMPORTS = {
  title: 'Imports into knowledge',
  owner: 'http/app/metrics/knowledge_import_metrics.ts',
  metrics: {
    parley_knowledge_imports_total: {
      type: 'counter',
      unit: '',
      help: 'Attempts to import a document, by origin and what came of them: converted, unchanged, delayed (it is tried again) or failed.',
      labels: { origin: ['file', 'url'], outcome: ['converted', 'unchanged', 'delayed', 'failed'] },
      is_rare: true,
    },
    parley_knowledge_import_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time of an attempt to import a document, with the wait for a place.',
      labels: { origin: ['file', 'url'] },
      buckets: FILES,
      is_rare: true,
    },
    parley_knowledge_conversions: { type: 'gauge', unit: '', help: 'Documents being converted on this node.' },
    parley_knowledge_conversions_waiting: {
      type: 'gauge',
      unit: '',
      help: 'Documents that wait for a place to be converted on this node.',
    },
  },
} as const satisfies MetricGroup

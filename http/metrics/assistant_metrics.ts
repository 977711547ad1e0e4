/** Metrics of models and assistants. */
import type { MetricGroup } from './metric.ts'

const MODELS = {
  gen_ai_operation_name: ['chat', 'transcription'],
  gen_ai_request_model: "the operator's models",
} as const

export const MODEL = {
  title: 'Models',
  owner: 'http/app/metrics/model_metrics.ts',
  metrics: {
    gen_ai_client_operation_duration_seconds: {
      type: 'histogram',
      unit: 'seconds',
      help: 'Time of a call of a model, with the wait for a place; error_type is the code of a failure, and missing for an answer.',
      labels: { ...MODELS, error_type: 'codes of failed calls' },
      buckets: [0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 80],
      semantic: 'gen_ai.client.operation.duration',
      is_rare: true,
    },
    gen_ai_client_token_usage: {
      type: 'histogram',
      unit: '',
      help: 'Tokens of a call of a model, as its provider told them, or else estimated.',
      labels: { ...MODELS, gen_ai_token_type: ['input', 'output'] },
      buckets: [16, 64, 256, 1024, 4096, 16384, 65536],
      semantic: 'gen_ai.client.token.usage',
      is_rare: true,
    },
  },
} as const satisfies MetricGroup

export const ASSISTANT = {
  title: 'Assistants',
  owner: 'http/app/metrics/assistant_metrics.ts',
  metrics: {
    parley_assistant_turns_total: {
      type: 'counter',
      unit: '',
      help: 'Turns of assistants in conversations by how they ended: answered, handed_over, failed (handed over for a failure) or discarded (something newer was said).',
      labels: { outcome: ['answered', 'handed_over', 'failed', 'discarded'] },
    },
    parley_assistant_budget_refusals_total: {
      type: 'counter',
      unit: '',
      help: 'Questions to models that were not asked because a budget was spent: that of the conversation, of the day or of the month.',
      labels: { budget: ['conversation', 'day', 'month'] },
    },
  },
} as const satisfies MetricGroup

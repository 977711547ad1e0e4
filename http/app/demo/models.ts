import type { ModelEntry } from '../../../actors/mod.ts'
import type { Config } from '../settings/mod.ts'

/** Tokens of the context of the simulator's model. */
const CONTEXT = 128_000

/**
 * The models of a demo: the operator's, or the simulator in the place of every model that assistants may use, so that
 * all of them answer without an account. A service that runs the assistants asks models of its own.
 */
export function demoModels({ models, assistant_models, assistants_url }: Config, simulator_url: string): ModelEntry[] {
  if (models.length > 0 || assistants_url) return models
  return assistant_models.map((name) => simulatedModel(name, simulator_url))
}

/** A model of the simulator under any name. It costs something, so that costs are seen. */
export function simulatedModel(name: string, simulator_url: string): ModelEntry {
  const url = `${simulator_url}/models/v1`
  return {
    name,
    url,
    key: null,
    model: name,
    context: CONTEXT,
    max_output: 4096,
    price: { input: '0.25', output: '2', currency: 'USD' },
    reads: ['text', 'image', 'audio', 'pdf'],
    query: {},
    headers: {},
    output_field: 'max_tokens',
    transcription: { url, key: null, model: 'simulated-ear' },
  }
}

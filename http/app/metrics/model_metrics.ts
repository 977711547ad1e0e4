/** Metrics of the calls of models. */
import type { Registry } from 'prom-client'
import type { ModelAnswer, ModelFailure, Models, ModelTranscript } from '../../../actors/mod.ts'
import { histogram } from '../../metrics/instruments.ts'

/** Returns the models with their calls measured. A name that the operator does not offer becomes no label. */
export function measuredModels(registry: Registry, models: Models): Models {
  const durations = histogram(registry, 'gen_ai_client_operation_duration_seconds')
  const tokens = histogram(registry, 'gen_ai_client_token_usage')
  const known = new Set(models.names)

  async function measured<Outcome extends ModelAnswer | ModelTranscript | ModelFailure>(
    operation: 'chat' | 'transcription',
    model: string,
    call: Promise<Outcome>,
  ): Promise<Outcome> {
    const begun = performance.now()
    const outcome = await call
    const labels = { gen_ai_operation_name: operation, gen_ai_request_model: known.has(model) ? model : 'unknown' }
    const error_type = 'code' in outcome ? { error_type: outcome.code } : {}
    durations.observe({ ...labels, ...error_type }, (performance.now() - begun) / 1000)
    if (outcome.kind === 'answer') {
      tokens.observe({ ...labels, gen_ai_token_type: 'input' }, outcome.usage.input_tokens)
      tokens.observe({ ...labels, gen_ai_token_type: 'output' }, outcome.usage.output_tokens)
    }
    return outcome
  }

  return {
    names: models.names,
    find: (name) => models.find(name),
    ask: (question, options) => measured('chat', question.model, models.ask(question, options)),
    transcribe: (recording, options) =>
      measured('transcription', recording.model, models.transcribe(recording, options)),
    close: () => models.close(),
  }
}

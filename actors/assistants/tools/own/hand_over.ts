import { type BuiltIn, object, text } from '../built_in.ts'
import { found } from '../result.ts'
import type { HandOver } from '../tool.ts'

const LONG = 2_000

type Values = { reason: string } & Partial<Record<keyof HandOver['summary'] | keyof HandOver['stage_texts'], string>>

export const handOverTool: BuiltIn = {
  name: 'parley_hand_over',
  description:
    'Gives the conversation to a person of the business, who reads the texts of this call. Use it when the person asks for a human, when the instructions say so, or when you cannot help. Call it before you tell the person about it. You do not write in this conversation afterwards.',
  isOffered: () => true,
  parameters: () =>
    object(
      {
        reason: text('One sentence: why a person is needed', 500),
        motivo: text('Summary: what the person wants', LONG),
        estado: text('Summary: what has happened so far', LONG),
        proximos_pasos: text('Summary: what should be done next', LONG),
        prioridad: text('How urgent it is, and why', LONG),
        contexto: text('What is known about the person and the case', LONG),
        problema: text('The problem to be solved', LONG),
        recomendaciones: text('What you recommend to the person who continues', LONG),
      },
      ['reason', 'motivo'],
    ),
  run({ reason, ...texts }: Values) {
    const of = (name: keyof typeof texts) => texts[name]?.trim() || null
    const effect: HandOver = {
      kind: 'hand_over',
      reason: reason.trim(),
      summary: { motivo: of('motivo'), estado: of('estado'), proximos_pasos: of('proximos_pasos') },
      stage_texts: {
        prioridad: of('prioridad'),
        contexto: of('contexto'),
        problema: of('problema'),
        recomendaciones: of('recomendaciones'),
      },
    }
    const note = 'A person of the business continues. Tell so in one short sentence, in the language of the person.'
    return found({ is_handed_over: true, note }, { effect })
  },
}

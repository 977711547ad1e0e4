/** Lines that replies and turns of an assistant have in common. */
type Line = [name: string, value: string]

/** The name stands before the first of the values. */
export function listed(name: string, values: string[]): Line[] {
  return values.map((value, at) => [at === 0 ? name : '', value])
}

export function outcomeLine(outcome: string, reason: string | null): Line {
  return ['outcome', reason ? `${outcome}: ${reason}` : outcome]
}

export function sourceLines(sources: readonly { title: string; url: string | null }[]): Line[] {
  return listed(
    'sources',
    sources.map(({ title, url }) => url ?? title),
  )
}

export function tokensLine({ input_tokens, output_tokens }: { input_tokens: number; output_tokens: number }): Line {
  return ['tokens', `${input_tokens} in, ${output_tokens} out`]
}

export function costLine(cost: { amount: number; currency: string } | null): Line {
  return ['cost', cost ? `${cost.amount} ${cost.currency}` : 'not known']
}

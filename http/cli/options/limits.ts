import { InvalidArgumentError } from 'commander'

/** Limits of a budget: names with numbers. */
export type Limits = Record<string, number>

/** Parses limits such as `day_tokens=20000,day_cost=5`, or `none`. */
export function limitsParser(names: readonly string[]) {
  return (text: string): Limits | 'none' => {
    if (text === 'none') return text
    const limits: Limits = {}
    for (const part of text.split(',')) {
      const [, name, value] = /^\s*(\w+)=(\d{1,13}(?:\.\d{1,6})?)\s*$/.exec(part) ?? []
      if (name === undefined || !names.includes(name) || Object.hasOwn(limits, name)) {
        throw new InvalidArgumentError(
          `It must be none, or some of ${names.map((one) => `${one}=<number>`).join(',')}.`,
        )
      }
      limits[name] = Number(value)
    }
    return limits
  }
}

export function spellLimits(limits: object | null): string {
  const spelled = Object.entries(limits ?? {}).map(([name, value]) => `${name}=${value}`)
  return spelled.join(', ') || 'none'
}

/** The descriptions before two foreign linters with all their rules. `openapi.test.ts` has the rules that cost little. */
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import t from 'tap'
import { apiNames, described } from '../support/described.ts'
import { redocly, withMistake } from './redocly.ts'

type Check = (target: object, options: object, context: { path: (string | number)[] }) => unknown[] | undefined

/** Schemas with their examples in which the linter found nothing. */
const known = new Set<string>()

/**
 * The rules of examples compile the schema of each example, and the same few schemas stand at a thousand places. So a
 * schema with its examples that proved to be clean is not looked at again. Requests and responses differ for these rules.
 */
function cheaper(rules: object): object {
  const apply = (check: Check, self: unknown, [target, options, context]: Parameters<Check>) => {
    const place = ['requestBody', 'requestBodies', 'responses'].filter((part) => context.path.includes(part))
    const key = JSON.stringify([options, place, target])
    if (known.has(key)) return undefined
    const found = Reflect.apply(check, self, [target, options, context])
    if (!found?.length) known.add(key)
    return found
  }
  const changed = Object.entries(rules).map(([name, rule]) => {
    if (!/^oas3-valid-(media|schema)-example$/.test(name)) return [name, rule]
    const check: Check = rule.then.function
    // biome-ignore lint/suspicious/noThenProperty: the linter's own name
    return [name, { ...rule, then: { ...rule.then, function: new Proxy(check, { apply }) } }]
  })
  return Object.fromEntries(changed)
}

for (const name of apiNames) {
  t.test(`${name}: no linter finds anything`, async (t) => {
    const source = JSON.stringify(described(name))
    t.strictSame(await redocly(name, source), [], 'Redocly, recommended-strict')
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [[{ ...rulesets.oas, rules: cheaper(rulesets.oas.rules) }, 'recommended']] } as never)
    const results = await linter.run(source)
    t.strictSame(
      results.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
      [],
      'Spectral, oas',
    )
  })
}

t.test('a linter that is given a mistake finds it', async (t) => {
  t.match(await redocly('admin', withMistake()), [/^operation-operationId /])
})

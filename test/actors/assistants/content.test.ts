import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import {
  type ContentItem,
  MAX_LEVELS,
  parseContent,
  readPayload,
  renderContent,
} from '../../../actors/assistants/content.ts'
import { chance } from '../../faults/chance.ts'

const heading = (text: string, level = 1): ContentItem => ({ kind: 'heading', level, text })
const paragraph = (text: string): ContentItem => ({ kind: 'paragraph', text })
const bullet = (text: string, ...items: ContentItem[]): ContentItem => ({ kind: 'bullet', text, items })
const number = (number: number, text: string, ...items: ContentItem[]): ContentItem => ({
  kind: 'number',
  number,
  text,
  items,
})
const spaced = (item: ContentItem): ContentItem => ({ ...item, spaced: true })

/** Texts with their structure. The third is the text as it is rendered, where that differs. */
const texts: [text: string, items: ContentItem[], rendered?: string][] = [
  ['', []],
  [' \n\t\n', [], ''],
  ['Hello', [paragraph('Hello')]],
  ['Hello\nthere', [paragraph('Hello\nthere')]],
  ['One\n\nTwo', [paragraph('One'), spaced(paragraph('Two'))]],
  ['One\n\n\n\nTwo', [paragraph('One'), spaced(paragraph('Two'))], 'One\n\nTwo'],
  ['One\r\nTwo\rThree', [paragraph('One\nTwo\nThree')], 'One\nTwo\nThree'],
  ['- a\n- b', [bullet('a'), bullet('b')]],
  ['-a', [paragraph('-a')]],
  ['-', [paragraph('-')]],
  ['- - a', [bullet('- a')]],
  ['1. a\n2. b', [number(1, 'a'), number(2, 'b')]],
  ['7. a\n7. b', [number(7, 'a'), number(7, 'b')]],
  ['007. a', [number(7, 'a')], '7. a'],
  ['1.a', [paragraph('1.a')]],
  ['1) a', [paragraph('1) a')]],
  ['1234567890. a', [paragraph('1234567890. a')]],
  ['# A\n## B\ntext', [heading('A'), heading('B', 2), paragraph('text')]],
  ['#A', [paragraph('#A')]],
  ['####### A', [paragraph('####### A')]],
  ['1. a\n  2. b\n    - c\n3. d', [number(1, 'a', number(2, 'b', bullet('c'))), number(3, 'd')]],
  ['1. a\n  why\n  and how\nthen', [number(1, 'a', paragraph('why\nand how')), paragraph('then')]],
  ['1. a\n\n  - b', [number(1, 'a', spaced(bullet('b')))]],
  ['1. a\n      - b', [number(1, 'a', bullet('b'))], '1. a\n  - b'],
  ['1. a\n   - b', [number(1, 'a', bullet('b'))], '1. a\n  - b'],
  ['1. a\n\t- b', [number(1, 'a', bullet('b'))], '1. a\n  - b'],
  ['  - a', [bullet('a')], '- a'],
  ['# A\n  text', [heading('A'), paragraph('text')], '# A\ntext'],
  ['- a  \n\n', [bullet('a')], '- a'],
]

t.test('a text has the structure that its conventions give it', async (t) => {
  for (const [text, items, rendered = text] of texts) {
    t.same(parseContent(text), items, JSON.stringify(text))
    t.equal(renderContent(items), rendered, JSON.stringify(text))
  }
})

t.test('headings can be rendered further down, to the sixth level at most', async (t) => {
  t.equal(renderContent([heading('A'), heading('B', 6)], { below: 1 }), '## A\n###### B')
})

/** Whole numbers below a limit, and choices; the same for the same seed, so that a failure can be repeated. */
function seeded(seed: number) {
  const random = chance(seed)
  const next = (below: number): number => Math.floor(random() * below)
  return { next, pick: <Value>(values: readonly Value[]): Value => values[next(values.length)]! }
}

type Chance = ReturnType<typeof seeded>

const WORDS = ['a', '-', '- b', '1.', '2. c', '# d', '#', 'é 😀', '  x', 'y.', '--', '1) z', 'ünï']

const lineOf = ({ next, pick }: Chance): string =>
  Array.from({ length: 1 + next(3) }, () => pick(WORDS))
    .join(' ')
    .trim()

function paragraphOf(chance: Chance): string {
  const lines = Array.from({ length: 1 + chance.next(3) }, () => `p ${lineOf(chance)}`)
  return lines.join('\n')
}

function itemsOf(chance: Chance, level: number): ContentItem[] {
  const count = level > MAX_LEVELS ? 0 : chance.next(level === 1 ? 8 : 3)
  const items: ContentItem[] = []
  for (let at = 0; at < count; at++) items.push(itemOf(chance, level, items.at(-1), level === 1 && at === 0))
  return items
}

function itemOf(chance: Chance, level: number, before: ContentItem | undefined, is_first: boolean): ContentItem {
  const kind = chance.pick(['heading', 'paragraph', 'bullet', 'number', 'number'] as const)
  const is_apart = kind === 'paragraph' && before?.kind === 'paragraph'
  const gap = !is_first && (is_apart || chance.next(4) === 0) ? { spaced: true as const } : {}
  if (kind === 'paragraph') return { kind, text: paragraphOf(chance), ...gap }
  if (kind === 'heading') return { kind, level: 1 + chance.next(6), text: lineOf(chance), ...gap }
  const items = itemsOf(chance, level + 1)
  if (kind === 'bullet') return { kind, text: lineOf(chance), items, ...gap }
  return { kind, number: chance.next(1000), text: lineOf(chance), items, ...gap }
}

const SEEDS = 2000

/** Returns the first seed for which the judge finds two things that differ. */
function firstWrong(judge: (chance: Chance) => [found: unknown, wanted: unknown][]): object | undefined {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const wrong = judge(seeded(seed)).find(([found, wanted]) => !isDeepStrictEqual(found, wanted))
    if (wrong) return { seed, wrong }
  }
  return undefined
}

t.test('what is rendered is parsed as it was, and a payload keeps it', async (t) => {
  const wrong = firstWrong((chance) => {
    const items = itemsOf(chance, 1)
    return [
      [parseContent(renderContent(items)), items],
      [readPayload({ items }), { items, faults: [] }],
    ]
  })
  t.equal(wrong, undefined)
})

const PIECES = [
  '\n',
  '\n\n',
  '\r\n',
  ' ',
  '  ',
  '\t',
  '- ',
  '-',
  '1. ',
  '12.',
  '# ',
  '### ',
  'word',
  ' end',
  '\u2028',
  '\u00a0',
]

t.test('any text becomes items that a payload accepts, and its rendering is final', async (t) => {
  const bare = (value: string) => value.replace(/\s+/g, '').replace(/(^|\D)0+(?=\d)/g, '$1')
  const wrong = firstWrong(({ next, pick }) => {
    const text = Array.from({ length: next(40) }, () => pick(PIECES)).join('')
    const items = parseContent(text)
    const rendered = renderContent(items)
    return [
      [parseContent(rendered), items],
      [readPayload({ items }), { items, faults: [] }],
      [bare(rendered), bare(text)],
    ]
  })
  t.equal(wrong, undefined)
})

t.test('missing numbers and lists of a payload are filled in', async (t) => {
  const step = (text: string, fields = {}) => ({ kind: 'number', text, ...fields })
  const payload = {
    items: [
      step('a'),
      step('b', { items: [step('c')] }),
      { kind: 'bullet', text: 'x' },
      step('d'),
      step('e', { number: 7 }),
      step('f'),
    ],
  }
  const { items, faults } = readPayload(payload)
  t.same(faults, [])
  t.equal(renderContent(items), '1. a\n2. b\n  1. c\n- x\n1. d\n7. e\n8. f')
  const apart = readPayload({
    items: [
      { kind: 'paragraph', text: 'a', spaced: true },
      { kind: 'paragraph', text: 'b' },
    ],
  })
  t.same(apart.items, [paragraph('a'), spaced(paragraph('b'))])
})

const deep = (levels: number): object[] => [{ kind: 'bullet', text: 'x', items: levels > 1 ? deep(levels - 1) : [] }]

const refused: [what: string, payload: unknown, paths: string[]][] = [
  ['a list', [], ['']],
  ['no items', {}, ['items']],
  ['another property', { items: [], blocks: [] }, ['blocks']],
  ['items that are an object', { items: {} }, ['items']],
  ['an item that is a text', { items: ['x'] }, ['items.0']],
  ['an unknown kind', { items: [{ kind: 'table', text: 'x' }] }, ['items.0.kind']],
  ['an inherited kind', { items: [{ kind: 'toString', text: 'x' }] }, ['items.0.kind']],
  ['no text', { items: [{ kind: 'bullet' }] }, ['items.0.text']],
  ['an empty text', { items: [{ kind: 'bullet', text: '' }] }, ['items.0.text']],
  ['a text with spaces around it', { items: [{ kind: 'heading', text: ' x' }] }, ['items.0.text']],
  ['two lines in a bullet', { items: [{ kind: 'bullet', text: 'x\ny' }] }, ['items.0.text']],
  ['a blank line in a paragraph', { items: [{ kind: 'paragraph', text: 'x\n\ny' }] }, ['items.0.text']],
  ['a carriage return', { items: [{ kind: 'paragraph', text: 'x\r\ny' }] }, ['items.0.text']],
  ['a paragraph that begins as a bullet', { items: [{ kind: 'paragraph', text: '- x' }] }, ['items.0.text']],
  ['a number that is a text', { items: [{ kind: 'number', text: 'x', number: '1' }] }, ['items.0.number']],
  ['a heading of level 7', { items: [{ kind: 'heading', text: 'x', level: 7 }] }, ['items.0.level']],
  ['items of a paragraph', { items: [{ kind: 'paragraph', text: 'x', items: [] }] }, ['items.0.items']],
  ['spaced that is a number', { items: [{ kind: 'bullet', text: 'x', spaced: 1 }] }, ['items.0.spaced']],
  ['two faults', { items: [{ kind: 'bullet' }, { kind: 'bullet', text: 'x', a: 1 }] }, ['items.0.text', 'items.1.a']],
  ['nine levels', { items: deep(9) }, [`items.0${'.items.0'.repeat(7)}.items`]],
]

t.test('a payload that cannot be rendered is refused with the place of each fault', async (t) => {
  for (const [what, payload, paths] of refused) {
    t.same(
      readPayload(payload).faults.map(({ path }) => path.join('.')),
      paths,
      what,
    )
  }
  t.same(readPayload({ items: deep(8) }).faults, [])
  t.equal(readPayload({ items: Array.from({ length: 500 }, () => 1) }).faults.length, 100, 'faults are bounded')
})

const LENGTH = 100_000

/** Texts of the greatest length that could be slow. */
const large: Record<string, (length: number) => string> = {
  'one line': (length) => 'x'.repeat(length),
  'many lines of a paragraph': (length) => 'x\n'.repeat(length / 2),
  'many bullets': (length) => '- x\n'.repeat(length / 4),
  'empty lines': (length) => '\n'.repeat(length),
  spaces: (length) => `- ${' '.repeat(length)}x`,
  'indented lines': (length) => `1. a\n${`${' '.repeat(100)}- x\n`.repeat(length / 104)}`,
  'a line of digits': (length) => '1'.repeat(length),
  'number signs': (length) => '#'.repeat(length),
}

t.test('the time is linear in the text', async (t) => {
  const time = (text: string) => {
    const begun = process.cpuUsage()
    renderContent(parseContent(text))
    const { user, system } = process.cpuUsage(begun)
    return user + system
  }
  for (const [what, make] of Object.entries(large)) {
    const [short, long] = [make(LENGTH), make(16 * LENGTH)]
    const one = Math.max(Math.min(...Array.from({ length: 5 }, () => time(short))), 500)
    // The fastest of five counts, and the first that is fast enough settles it.
    let sixteen = time(long)
    for (let more = 4; more > 0 && sixteen >= one * 100; more--) sixteen = Math.min(sixteen, time(long))
    t.ok(sixteen < one * 100, `${what}: ${one} µs, sixteen times as long ${sixteen} µs`)
  }
})

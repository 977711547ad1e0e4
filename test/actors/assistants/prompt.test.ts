import t from 'tap'
import { renderPrompt } from '../../../actors/assistants/prompt.ts'
import { readPayload } from '../../../actors/mod.ts'
import { type BlockType, type BlockVersion, blockTypeNames, newDate } from '../../../storage/mod.ts'

const shared = { _id: 'v', project_id: 'p', block_id: 'b', created_at: newDate() }
const free = (content: string): BlockVersion => ({ ...shared, edit_mode: 'free', content, payload: null })
const assisted = (items: object[]): BlockVersion => ({
  ...shared,
  edit_mode: 'assisted',
  content: null,
  payload: { items: readPayload({ items }).items },
})

/** A block of each type, as it stands in the prompt. */
const golden: Record<BlockType, { version: BlockVersion; section: string }> = {
  personification: {
    version: free('You are Ana,\nthe voice of the shop.\n\n\nBe brief.'),
    section: '# Personality\n\nYou are Ana,\nthe voice of the shop.\n\nBe brief.',
  },
  objective: { version: free('Book a table.'), section: '# Objective\n\nBook a table.' },
  response_format: {
    version: free('- short\n- no emoji  '),
    section: '# Response format\n\n- short\n- no emoji',
  },
  steps: {
    version: free('1. Greet\n  - by name\n  2. ask how\n2. Close'),
    section: '# Steps: A block\n\n1. Greet\n  - by name\n  2. ask how\n2. Close',
  },
  cases_possible: {
    version: free('# Refund\nAsk for the order.\n# Complaint\nApologise.'),
    section: '# Possible cases: A block\n\n## Refund\nAsk for the order.\n## Complaint\nApologise.',
  },
  do_not: { version: free('- promise dates'), section: '# What not to do: A block\n\n- promise dates' },
  response_policy: {
    version: assisted([
      { kind: 'number', text: 'Answer', items: [{ kind: 'bullet', text: 'within a minute' }] },
      { kind: 'number', text: 'Ask' },
    ]),
    section: '# Response policy: A block\n\n1. Answer\n  - within a minute\n2. Ask',
  },
  product_info: {
    version: assisted([
      { kind: 'heading', text: 'Cake' },
      { kind: 'paragraph', text: '12 EUR' },
      { kind: 'paragraph', text: 'Sold out' },
    ]),
    section: '# Products: A block\n\n## Cake\n12 EUR\n\nSold out',
  },
  store_info: { version: free('Open 9 to 5.'), section: '# Store: A block\n\nOpen 9 to 5.' },
  reservation_info: { version: free('Two hours each.'), section: '# Reservations: A block\n\nTwo hours each.' },
  tables_info: { version: free('- 4 seats'), section: '# Tables: A block\n\n- 4 seats' },
  tags: { version: free('- vip'), section: '# Tags: A block\n\n- vip' },
}

t.test('each type of block has its section', async (t) => {
  t.same(Object.keys(golden).sort(), [...blockTypeNames].sort())
  for (const type of blockTypeNames) {
    const { version, section } = golden[type]
    t.equal(await renderPrompt([{ name: 'A \n block', type, version }]), section, type)
  }
})

t.test('sections follow the order of the blocks; blocks without content have none', async (t) => {
  const block = (type: BlockType, name: string, version?: BlockVersion) => ({ type, name, version })
  const blocks = [
    block('steps', 'Later', free('1. b')),
    block('personification', 'x', free(' \n')),
    block('steps', 'First', free('1. a')),
    block('objective', 'x'),
  ]
  t.equal(await renderPrompt(blocks), '# Steps: Later\n\n1. b\n\n# Steps: First\n\n1. a')
  t.equal(await renderPrompt([]), '')
})

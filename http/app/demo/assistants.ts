/** An assistant of the demo, with a block of content for each of its tasks. */
import { Block, type BlockType, blank, type DemoRecords, objectId } from '../../../storage/mod.ts'

type Tenant = { company_id: string; project_id: string }

/** The assistant answers in the web chat alone: in the other channels people try what happens when nobody does. */
type Work = { model: string; web_channel_id: string; knowledge_node_ids: string[] }

/** In the order of the prompt. */
const BLOCKS: { type: BlockType; name: string; content: string }[] = [
  {
    type: 'personification',
    name: 'Personification',
    content: 'You are Demi, the assistant of the demo shop. You are friendly and brief.',
  },
  {
    type: 'objective',
    name: 'Help with orders',
    content: 'Answer questions about orders, so that nobody has to wait.',
  },
  {
    type: 'response_format',
    name: 'Short messages',
    content: '- at most three sentences\n- in the language of the customer',
  },
  {
    type: 'steps',
    name: 'Order status',
    content:
      '1. Ask for the order number\n  - it begins with A and has four digits\n2. Say where the order is\n3. Ask if anything else is needed',
  },
  {
    type: 'cases_possible',
    name: 'Exceptions',
    content: '# Damaged\nOffer a refund.\n# Late\nOffer a new delivery date.',
  },
  {
    type: 'response_policy',
    name: 'Response policy',
    content: 'Pass the conversation to an agent when the customer asks for one.',
  },
  { type: 'store_info', name: 'Store', content: 'Open from Monday to Friday, 9:00 to 18:00.' },
]

/** `model`: one that the operator offers. `knowledge_node_ids`: what it searches. */
export function demoAssistant(
  { company_id, project_id }: Tenant,
  { model, web_channel_id, knowledge_node_ids }: Work,
  now: Date,
): Pick<DemoRecords, 'assistant' | 'blocks' | 'block_versions' | 'assistant_blocks' | 'assistant_deployment'> {
  const stamps = { created_at: now, updated_at: now }
  const owner = { company_id, project_id }
  const assistant = {
    ...{ _id: objectId(), ...owner, name: 'Demi', description: 'Answers questions about orders', model },
    ...{
      avatar_url: null,
      avatar_emoji: '🛍️',
      knowledge_node_ids,
      settable_ticket_fields: [],
      is_active: true,
      hand_over: null,
      budget: null,
      ...stamps,
    },
  }
  const block_versions = BLOCKS.map(({ content }) => ({
    ...{ _id: objectId(), project_id, block_id: objectId(), edit_mode: 'free' as const },
    ...{ content, payload: null, created_at: now },
  }))
  const blocks = BLOCKS.map(({ type, name }, at) => {
    const { _id: current_version_id, block_id: _id } = block_versions[at]!
    return blank(Block, { _id, ...owner, name, type, is_archived: false, current_version_id, ...stamps })
  })
  const assistant_blocks = blocks.map(({ _id: block_id, type }, order) => ({
    ...{ assistant_id: assistant._id, block_id, project_id, type, order, created_at: now },
  }))
  const place = { position: 0, channel_ids: [web_channel_id], tag_ids: [], is_active: true }
  const assistant_deployment = {
    ...{ id: `${assistant._id}_0`, ...owner, assistant_id: assistant._id, ...place },
    ...{ answers: 'always' as const, after_minutes: null, ...stamps },
  }
  return { assistant, blocks, block_versions, assistant_blocks, assistant_deployment }
}

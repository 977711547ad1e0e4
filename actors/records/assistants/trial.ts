/** The parts of a turn that is only tried: a conversation, results of tools, and contents of blocks. */
import * as v from 'valibot'
import {
  across,
  dictionary,
  fieldsOf,
  itemsOf,
  maxCharacters,
  minCharacters,
  recordId,
  repeated,
} from '../../schema/mod.ts'
import { trialBounds } from './trial_bounds.ts'

const MAX_BLOCKS = 50
const MAX_CONTENT_LENGTH = 100_000

const MAX_MESSAGES = 50

/** A conversation, oldest first. */
export const givenMessages = v.pipe(
  v.array(
    v.strictObject({
      role: v.picklist(['user', 'assistant']),
      text: v.pipe(v.string(), minCharacters(1), maxCharacters(trialBounds.text)),
    }),
  ),
  v.minLength(1),
  v.maxLength(MAX_MESSAGES),
  across((value, say) => {
    const list = itemsOf(value)
    if (fieldsOf(list.at(-1)).role === 'assistant') say('must be user in the last message', [list.length - 1, 'role'])
  }),
)

/** Ends every turn that calls it. */
const HAND_OVER = 'parley_hand_over'

/** A value of at most `trialBounds.fixture_json` bytes as JSON. */
const small = <Value>() =>
  v.check<Value, string>(
    (value) => Buffer.byteLength(JSON.stringify(value) ?? '') <= trialBounds.fixture_json,
    `must have at most ${trialBounds.fixture_json} bytes as JSON`,
  )

/** Results that stand for calls of tools. */
export const toolFixtures = v.pipe(
  v.array(
    v.strictObject({
      tool: v.pipe(
        v.string(),
        minCharacters(1),
        maxCharacters(120),
        v.check((name) => name !== HAND_OVER, 'must not be parley_hand_over, which always ends a turn'),
        v.description('The name of the tool, as it is in tool_calls or as the tool is called in the API'),
      ),
      arguments: v.optional(
        v.pipe(
          dictionary(v.unknown()),
          small(),
          v.description('The fixture answers calls that have these among their arguments. Default: every call'),
        ),
      ),
      result: v.pipe(v.unknown(), small(), v.description('Any JSON, which the model gets')),
    }),
  ),
  v.maxLength(trialBounds.fixtures),
  v.description('The first that fits a call answers it'),
)

/** The calls of tools in a turn: run, or answered by fixtures. */
export const triedTools = v.pipe(
  v.strictObject({
    mode: v.pipe(
      v.picklist(['read', 'live', 'fixtures']),
      v.description(
        'read: webhooks are called only with GET. live: with any method. fixtures: no webhook is called, and fixtures have the results',
      ),
    ),
    fixtures: v.optional(toolFixtures),
  }),
  across((value, say) => {
    const { mode, fixtures } = fieldsOf(value)
    if (fixtures !== undefined && mode !== 'fixtures') say('goes with mode fixtures alone; remove it', ['fixtures'])
  }),
)

export const triedHeld = v.pipe(
  v.boolean(),
  v.description('True: versions of blocks that are held count instead of the current ones'),
)

export type TriedToolsRecord = v.InferOutput<typeof triedTools>

/** Contents that are tried instead of the current ones. */
export const triedBlocks = v.pipe(
  v.array(v.strictObject({ block_id: recordId, content: v.pipe(v.string(), maxCharacters(MAX_CONTENT_LENGTH)) })),
  v.maxLength(MAX_BLOCKS),
  across((list, say) => {
    for (const at of repeated(itemsOf(list).map((one) => fieldsOf(one).block_id)))
      say('is listed twice', [at, 'block_id'])
  }),
  v.description('Contents of blocks of this assistant that are tried instead of the current ones. They are not saved'),
)

/** The blocks of an assistant in the order of its prompt, the open one in its editor, and what the model gets of them. */

import { useState } from 'preact/hooks'
import type { AttachedBlock } from '../../records/assistant.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import type { PartProps } from '../part.ts'
import { assistantsPlace } from '../places.ts'
import { AddBlock } from './add_block.tsx'
import { BlockEditor } from './block_editor.tsx'
import { BlockRow } from './block_row.tsx'
import { Side } from './side.tsx'

export function InstructionsPart({ chosen, ...props }: PartProps & { chosen: string | null }) {
  const { assistants, open, assistant } = props
  const blocks = assistant.blocks.toSorted((one, other) => one.order - other.order)
  const current = blocks.find(({ _id }) => _id === chosen) ?? (chosen === null ? blocks[0] : undefined)
  /** Read by screen readers after a move. */
  const [said, say] = useState('')
  const placeOf = ({ _id }: Pick<AttachedBlock, '_id'>) =>
    assistantsPlace(assistants.project_id, open.id, 'instructions', _id)
  return (
    <div class="assistant-work">
      <section class="card assistant-blocks" aria-labelledby="assistant-blocks">
        <div class="section-head">
          <h2 id="assistant-blocks">Blocks</h2>
          {assistants.may_manage && <AddBlock {...props} onAdded={(block) => (location.hash = placeOf(block))} />}
        </div>
        <p class="faint">They make the prompt, from the first to the last.</p>
        <ol>
          {blocks.map((block, at) => (
            <BlockRow
              {...props}
              block={block}
              at={at}
              of={blocks.length}
              href={placeOf(block)}
              is_current={block === current}
              say={say}
              key={block._id}
            />
          ))}
        </ol>
        <p class="aside" role="status">
          {said}
        </p>
      </section>
      <div class="assistant-editing">
        {current ? (
          <BlockEditor {...props} block={current} key={current._id} />
        ) : (
          <div class="card">
            <Empty
              icon="file"
              title={chosen === null ? 'No blocks yet' : 'This block is not in the prompt'}
              text={
                chosen === null
                  ? 'Add steps that the assistant follows, or cases that it may meet.'
                  : 'It was taken off, or the address is wrong.'
              }
            />
          </div>
        )}
      </div>
      <Side {...props} />
      {!assistant.is_active && (
        <p class="faint assistant-off">
          <Icon name="stop" /> The assistant is off: nothing that you change here reaches anybody until it is on.
        </p>
      )}
    </div>
  )
}

/** Two texts of a block that two people wrote at the same time: both shown, and the agent decides. */

import { useMemo } from 'preact/hooks'
import { closeLines, differenceOf } from '../../ui/format/diff.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { BlockContent } from '../block_content.ts'

/** Lines that are shown. */
const MAX = 400

const SIGNS = { '-': 'theirs', '+': 'yours', ' ': 'both' } as const

export function BlockConflict({
  content,
  theirs,
  onSaved,
}: {
  content: BlockContent
  theirs: string
  onSaved(): void
}) {
  const mine = content.text.value
  const lines = useMemo(() => closeLines(differenceOf(theirs, mine)).slice(0, MAX), [theirs, mine])
  const keep = async () => {
    if (await content.keepMine()) onSaved()
  }
  return (
    <section class="assistant-conflict" aria-label="Conflict">
      <div class="note wary" role="alert">
        <Icon name="alert" />
        <p>
          <strong>Somebody else saved this block while you were editing it.</strong> Nothing is lost: choose one, or
          edit yours until it has both.
        </p>
      </div>
      <div class="actions">
        <button type="button" class="button" onClick={() => content.discard()}>
          Take theirs
        </button>
        <button type="button" class="button primary" aria-busy={content.is_saving.value} onClick={keep}>
          Save mine
        </button>
      </div>
      <pre class="assistant-diff" aria-label="Differences" tabindex={0}>
        {lines.map((line, at) =>
          line === null ? (
            <span key={at}>…{'\n'}</span>
          ) : (
            <span class={`is-${SIGNS[line.sign]}`} key={at}>
              {line.sign} {line.text}
              {'\n'}
            </span>
          ),
        )}
      </pre>
    </section>
  )
}

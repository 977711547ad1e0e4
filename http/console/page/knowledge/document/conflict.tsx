/** Two forms of a document that two people saved at the same time: both shown, and the agent decides. */

import { useMemo } from 'preact/hooks'
import type { KnowledgeDocument } from '../../records/knowledge.ts'
import { closeLines, differenceOf, type Line } from '../../ui/format/diff.ts'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { languageName } from '../words.ts'
import type { OpenDocument } from './document.ts'

/** Lines that are shown. */
const MAX = 400

export function Conflict({ open, theirs }: { open: OpenDocument; theirs: KnowledgeDocument }) {
  const { content, language } = open.fields.value
  const rows = useMemo(
    () => sideBySide(closeLines(differenceOf(theirs.content ?? '', content))).slice(0, MAX),
    [theirs, content],
  )
  const keep = async () => {
    if (await open.keepMine()) toast('Saved')
  }
  return (
    <section class="card knowledge-conflict" aria-label="Conflict">
      <div class="knowledge-conflict-head" role="alert">
        <Icon name="alert" />
        <p>
          <strong>Somebody else saved this document while you were editing it.</strong> Nothing is lost: choose one, or
          edit yours until it has both.
        </p>
        <div class="actions">
          <button type="button" class="button" onClick={() => open.discard()}>
            Take theirs
          </button>
          <button type="button" class="button primary" aria-busy={open.is_saving.value} onClick={keep}>
            Save mine
          </button>
        </div>
      </div>
      {theirs.language !== language && (
        <p class="faint">
          Language: {theirs.language ? languageName(theirs.language) : 'detected'} in theirs,{' '}
          {language ? languageName(language) : 'detected'} in yours.
        </p>
      )}
      <div class="knowledge-diff" role="group" aria-label="Differences" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) =>
              row === null ? (
                <tr class="is-gap" key={at}>
                  <td colspan={2}>…</td>
                </tr>
              ) : (
                <tr key={at}>
                  <td class={row.left?.sign === '-' ? 'is-theirs' : undefined}>{row.left?.text}</td>
                  <td class={row.right?.sign === '+' ? 'is-mine' : undefined}>{row.right?.text}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Lines beside each other: those of both, and each run of theirs beside the run of yours that follows. */
function sideBySide(lines: (Line | null)[]) {
  const rows: ({ left?: Line; right?: Line } | null)[] = []
  let begin = 0
  for (const line of lines) {
    if (line === null || line.sign === ' ') {
      rows.push(line && { left: line, right: line })
      begin = rows.length
    } else if (line.sign === '-') rows.push({ left: line })
    else {
      const free = rows.findIndex((row, at) => at >= begin && row !== null && !row.right)
      const row = free < 0 ? undefined : rows[free]
      if (row) row.right = line
      else rows.push({ right: line })
    }
  }
  return rows
}

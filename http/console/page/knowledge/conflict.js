/** Two forms of a document that two people saved at the same time: both shown, and the agent decides. */
import { html } from 'htm/preact'
import { useMemo } from 'preact/hooks'
import { Icon } from '../ui/icons.js'
import { toast } from '../ui/toast.js'
import { closeLines, differenceOf } from './diff.js'
import { languageName } from './words.js'

/** @typedef {import('./diff.js').Line} Line */

/** Lines that are shown. */
const MOST = 400

/**
 * @param {{ open: import('./document.js').OpenDocument, theirs: import('../../page_types/knowledge.ts').KnowledgeDocument }} props
 */
export function Conflict({ open, theirs }) {
  const { content, language } = open.fields.value
  const rows = useMemo(
    () => sideBySide(closeLines(differenceOf(theirs.content ?? '', content))).slice(0, MOST),
    [theirs, content],
  )
  const keep = async () => {
    if (await open.keepMine()) toast('Saved')
  }
  return html`<section class="card knowledge-conflict" aria-label="Conflict">
    <div class="knowledge-conflict-head" role="alert">
      <${Icon} name="alert" />
      <p><strong>Somebody else saved this document while you were editing it.</strong> Nothing is lost: choose one, or edit yours until it has both.</p>
      <div class="actions">
        <button type="button" class="button" onClick=${() => open.discard()}>Take theirs</button>
        <button type="button" class="button primary" aria-busy=${String(open.is_saving.value)} onClick=${keep}>Save mine</button>
      </div>
    </div>
    ${
      theirs.language !== language &&
      html`<p class="faint">Language: ${theirs.language ? languageName(theirs.language) : 'detected'} in theirs, ${language ? languageName(language) : 'detected'} in yours.</p>`
    }
    <div class="knowledge-diff" role="group" aria-label="Differences" tabindex="0">
      <table>
        <thead><tr><th scope="col">Theirs</th><th scope="col">Yours</th></tr></thead>
        <tbody>
          ${rows.map((row, at) =>
            row === null
              ? html`<tr class="is-gap" key=${at}><td colspan="2">…</td></tr>`
              : html`<tr key=${at}>
                  <td class=${row.left?.sign === '-' ? 'is-theirs' : undefined}>${row.left?.text}</td>
                  <td class=${row.right?.sign === '+' ? 'is-mine' : undefined}>${row.right?.text}</td>
                </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

/**
 * Lines beside each other: those of both, and each run of theirs beside the run of yours that follows.
 *
 * @param {(Line | null)[]} lines
 */
function sideBySide(lines) {
  /** @type {({ left?: Line, right?: Line } | null)[]} */
  const rows = []
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

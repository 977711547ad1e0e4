/** A template as the person will see it. */

import { type Piece, shownTemplate } from '../../crm/template.ts'
import type { TemplateComponent } from '../../records/template.ts'

export function Preview({
  components,
  examples,
}: {
  components: readonly TemplateComponent[]
  examples: Record<string, string>
}) {
  const { header, file, body, footer, buttons, cards } = shownTemplate(components, examples)
  return (
    <aside class="card template-preview" aria-label="Preview">
      <h2>Preview</h2>
      <div class="template-bubble">
        {file && <p class="faint">{file}</p>}
        {header.length > 0 && (
          <p>
            <b>
              <Pieces pieces={header} />
            </b>
          </p>
        )}
        <p class="template-body">
          {body.length > 0 ? <Pieces pieces={body} /> : <span class="faint">No text yet</span>}
        </p>
        {footer && <p class="faint">{footer}</p>}
        {cards > 0 && <p class="faint">{cards} cards</p>}
      </div>
      {buttons.length > 0 && (
        <ul class="template-choices">
          {buttons.map((text, at) => (
            <li key={at}>{text || '…'}</li>
          ))}
        </ul>
      )}
    </aside>
  )
}

function Pieces({ pieces }: { pieces: Piece[] }) {
  return pieces.map(({ text, is_variable, is_missing }) =>
    is_variable ? <mark class={is_missing ? 'is-missing' : ''}>{text}</mark> : text,
  )
}

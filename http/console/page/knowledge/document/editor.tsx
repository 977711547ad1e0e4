/** The field for Markdown, with buttons for its marks. Enter goes on with a list. */
import { useElement } from '../../ui/hooks.ts'
import { type Edit, nextLine, wrapped } from './editing.ts'

const MARKS: { label: string; shape: string; before: string; after: string; keys?: string }[] = [
  {
    label: 'Bold',
    shape: 'M6.500 4.500h4a2.700 2.700 0 0 1 0 5.400h-4zM6.500 9.900h4.700a2.800 2.800 0 0 1 0 5.600H6.500z',
    before: '**',
    after: '**',
    keys: 'b',
  },
  { label: 'Italic', shape: 'M9 4.500h5M6 15.500h5M11.700 4.500l-3.400 11', before: '_', after: '_', keys: 'i' },
  { label: 'Heading', shape: 'M5 4.500v11M15 4.500v11M5 10h10', before: '## ', after: '' },
  {
    label: 'List',
    shape: 'M8 5.500h8.500M8 10h8.500M8 14.500h8.500M4 5.500h.01M4 10h.01M4 14.500h.01',
    before: '- ',
    after: '',
  },
  { label: 'Code', shape: 'm7 6-4 4 4 4M13 6l4 4-4 4', before: '`', after: '`' },
  {
    label: 'Link',
    shape:
      'M8.5 11.5 11.5 8.5M9 6l1.5-1.5a3.2 3.2 0 0 1 4.6 4.6L13.5 10.6M11 14l-1.5 1.5a3.2 3.2 0 0 1-4.6-4.6L6.5 9.4',
    before: '[',
    after: '](https://)',
  },
]

export function Editor({ value, longest, onChange }: { value: string; longest: number; onChange(text: string): void }) {
  const field = useElement<HTMLTextAreaElement>()
  const make = (edit: Edit | undefined) => {
    if (!edit) return false
    const { current } = field
    current.focus()
    current.setSelectionRange(edit.from, edit.to)
    // The only way that the browser can undo.
    if (!document.execCommand('insertText', false, edit.text)) current.setRangeText(edit.text)
    current.setSelectionRange(...edit.select)
    onChange(current.value)
    return true
  }
  const apply = ({ before, after }: { before: string; after: string }) => {
    const { selectionStart, selectionEnd } = field.current
    make(wrapped(field.current.value, selectionStart, selectionEnd, before, after))
  }
  const pressed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, isComposing } = event
    const mark = MARKS.find(({ keys }) => keys === key.toLowerCase())
    if ((ctrlKey || metaKey) && mark && !shiftKey && !altKey) {
      event.preventDefault()
      event.stopPropagation()
      apply(mark)
    } else if (key === 'Enter' && !shiftKey && !ctrlKey && !metaKey && !isComposing) {
      const { value: text, selectionStart, selectionEnd } = field.current
      if (selectionStart === selectionEnd && make(nextLine(text, selectionStart))) event.preventDefault()
    }
  }
  return (
    <div class="card knowledge-editor">
      <div class="knowledge-marks" role="toolbar" aria-label="Marks">
        {MARKS.map((mark) => (
          <button
            type="button"
            class="quiet icon-button"
            aria-label={mark.label}
            title={mark.label}
            onClick={() => apply(mark)}
            key={mark.label}
          >
            <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
              <path d={mark.shape} />
            </svg>
          </button>
        ))}
        <span class="faint">Markdown</span>
      </div>
      <textarea
        ref={field}
        aria-label="Text of the document, in Markdown"
        maxlength={longest}
        placeholder="Write in Markdown…"
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        onKeyDown={pressed}
      ></textarea>
    </div>
  )
}

/** The search for another record in a panel. */
import type { useElement } from '../../ui/hooks.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'

export function SearchForm({
  field,
  placeholder,
  label,
  fault,
  onSearch,
}: {
  field: ReturnType<typeof useElement<HTMLInputElement>>
  placeholder: string
  label: string
  /** The sentence for a search that fails. */
  fault: string
  /** Gets an empty text when nothing is sought any more. */
  onSearch(text: string): Promise<void>
}) {
  const searched = async (event: SubmitEvent) => {
    event.preventDefault()
    try {
      await onSearch(field.current.value.trim())
    } catch (error) {
      toastFault(fault, error as Error)
    }
  }
  return (
    <form class="panel-search" onSubmit={searched}>
      <input class="panel-field" ref={field} type="search" placeholder={placeholder} aria-label={label} />
      <button type="submit" class="quiet icon-button" aria-label="Search">
        <Icon name="search" />
      </button>
    </form>
  )
}

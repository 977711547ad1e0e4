/** Check boxes for a choice of several. */

export function CheckList({
  label,
  items,
  chosen,
  none,
  onChange,
}: {
  label: string
  items: { id: string; text: string }[]
  chosen: string[]
  /** Said where there is nothing to choose. */
  none: string
  onChange(chosen: string[]): void
}) {
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <fieldset class="assistant-checks">
      <legend>{label}</legend>
      {items.map(({ id, text }) => (
        <label class="assistant-check" key={id}>
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
          <span>{text}</span>
        </label>
      ))}
      {items.length === 0 && <p class="faint">{none}</p>}
    </fieldset>
  )
}

/** A page that is loading. */

/** Grey placeholders while content is loading. */
export function Waiting({ label, rows }: { label: string; rows: number }) {
  return (
    <div class="waiting" role="status">
      <span class="aside">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div class="waiting-row" key={row}>
          <i></i>
          <i></i>
          <i></i>
        </div>
      ))}
    </div>
  )
}

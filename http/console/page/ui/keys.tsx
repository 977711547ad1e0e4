/** Keys as they are written beside actions. */

const is_mac = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? '')

const NAMES: Partial<Record<string, string>> = {
  mod: is_mac ? '⌘' : 'Ctrl',
  shift: is_mac ? '⇧' : 'Shift',
  alt: is_mac ? '⌥' : 'Alt',
  escape: 'Esc',
  enter: 'Enter',
}

/**
 * `keys` such as `mod+k`, or `g i` for two keys one after the other.
 *
 * Beside an action they are decoration; in the map of the keyboard they are read out.
 */
export function Keys({ keys, is_decoration = true }: { keys: string; is_decoration?: boolean }) {
  const chords = keys.split(' ').map((chord) => chord.split('+').map((key) => NAMES[key] ?? key.toUpperCase()))
  return (
    <span class="keys" aria-hidden={is_decoration ? 'true' : undefined}>
      {chords.map((chord, at) => (
        <>
          {at > 0 && <span class="faint">then</span>}
          {chord.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </>
      ))}
    </span>
  )
}

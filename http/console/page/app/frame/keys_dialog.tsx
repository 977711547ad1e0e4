/** The map of the keyboard: what each key does here. */

import { prefer, preferences } from '../../data/preferences.ts'
import { actions } from '../../ui/actions.ts'
import { Keys } from '../../ui/keys.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

export function KeysDialog({ onClose }: { onClose(): void }) {
  const groups = Map.groupBy(
    actions.value.filter(({ keys }) => keys),
    ({ group }) => group,
  )
  return (
    <Dialog title="Keyboard shortcuts" class="wide" has_close onClose={onClose}>
      {!preferences.value.letter_keys && (
        <p class="note">
          Keys of one letter are turned off.{' '}
          <button type="button" class="link" onClick={() => prefer({ letter_keys: true })}>
            Turn on
          </button>
        </p>
      )}
      <div class="key-groups">
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {list.map(({ text, keys = '' }) => (
                <div key={text}>
                  <dt>{text}</dt>
                  <dd>
                    <Keys keys={keys} is_decoration={false} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

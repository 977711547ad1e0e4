/** The project's public keys, with which receivers verify deliveries without holding a secret. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { SigningKey } from '../records/webhook.ts'
import { Copyable } from '../ui/copyable.tsx'
import { exactly } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { SelectField } from '../ui/forms/field.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { GRACES, Question } from './dialogs.tsx'
import { ManageButton } from './manage_button.tsx'
import type { Webhooks } from './webhooks.ts'

const DAY_S = 24 * 3_600

export function SigningKeys({ webhooks }: { webhooks: Webhooks }) {
  const { keys, project_id, may_manage } = webhooks
  const [is_replacing, setReplacing] = useState(false)
  useEffect(() => void keys.read(), [keys])
  const { value, fault } = keys.state.value
  if (fault) return <Trouble title="The signing keys could not be loaded" error={fault} onRetry={() => keys.read()} />
  if (!value) return null
  return (
    <section class="card webhook-keys" aria-labelledby="signing-keys">
      <div class="webhook-keys-head">
        <h2 id="signing-keys">Signing keys</h2>
        {value.length > 0 && (
          <ManageButton may_manage={may_manage} onClick={() => setReplacing(true)}>
            Replace the key…
          </ManageButton>
        )}
      </div>
      {value.length === 0 ? (
        <p class="faint">
          No webhook has a public signature yet. The first one that is signed with the public key makes the key of this
          project.
        </p>
      ) : (
        <Keys keys={value} address={new URL(`v1/projects/${project_id}/jwks.json`, location.href).href} />
      )}
      {is_replacing && <ReplaceDialog webhooks={webhooks} onClose={() => setReplacing(false)} />}
    </section>
  )
}

function Keys({ keys, address }: { keys: readonly SigningKey[]; address: string }) {
  return (
    <>
      <p class="faint">Ed25519. Anyone may have the public keys; they are at this address as a JSON Web Key Set.</p>
      <div class="webhook-secret">
        <Copyable text={address} label="the address of the key set">
          <code tabindex={0}>{address}</code>
        </Copyable>
      </div>
      <ul class="webhook-key-list">
        {keys.map(({ id, public_key, created_at, valid_until }) => (
          <li key={id}>
            <Copyable text={public_key} label="the public key">
              <code>{public_key}</code>
            </Copyable>
            <p class="faint">
              Since <Moment at={created_at} />
              {valid_until ? `, signs too until ${exactly(valid_until)}` : ', signs now'}
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}

function ReplaceDialog({ webhooks, onClose }: { webhooks: Webhooks; onClose(): void }) {
  const [grace_s, setGrace] = useState(String(DAY_S))
  // A lost answer is asked for again under the same key, so the signing key is replaced once.
  const key = useMemo(() => crypto.randomUUID(), [grace_s])
  const act = async () => {
    await webhooks.api.rotateKey(Number(grace_s), key)
    await webhooks.keys.read()
    toast('The signing key is replaced.')
  }
  return (
    <Question title="Replace the signing key?" act={act} act_text="Replace it" busy_text="Replacing…" onClose={onClose}>
      <p class="faint">
        All webhooks of this project with a public signature are signed with a new key from now on. Receivers that read
        the key set find it by themselves.
      </p>
      <SelectField label="The former key goes on signing" value={grace_s} options={GRACES} onChange={setGrace} />
    </Question>
  )
}

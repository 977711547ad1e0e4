/** A file that its provider still has: it is being fetched, or could not be, with a button that has it fetched again. */
import { faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { useAction, useElement } from '../../../ui/hooks.ts'
import { toastFault } from '../../../ui/overlays/toast.ts'
import { Icon, type IconName } from '../../../ui/pictures/icons.tsx'
import { fetchMedia } from '../conversation/requests.ts'

type Props = { file: AnyRecord; name: string; icon: IconName; project: Project }

/** True for a file of which only the name is here. */
export function isWaiting({ media_status }: AnyRecord) {
  return media_status === 'pending' || media_status === 'failed'
}

export function WaitingFile({ file: { media_id, media_status, media_error }, name, icon, project }: Props) {
  const place = useElement<HTMLParagraphElement>()
  const again = useAction(async () => {
    try {
      await fetchMedia(project.api, media_id)
      // The button goes: who works with the keyboard stays here.
      place.current?.focus()
    } catch (refused) {
      toastFault('The file was not fetched again', faultOf(refused))
    }
  })
  if (media_status === 'pending')
    return (
      <p class="inbox-kind faint" ref={place} tabIndex={-1}>
        <Icon name={icon} />{' '}
        <span>
          <bdi>{name}</bdi>, being fetched…
        </span>
      </p>
    )
  return (
    <p class="inbox-kind" ref={place} tabIndex={-1}>
      <Icon name="alert" />{' '}
      <span>
        <bdi>{name}</bdi>: {media_error?.message ?? 'The file could not be fetched.'}
      </span>{' '}
      {media_id && (
        <button type="button" class="link" disabled={again.is_busy} onClick={again.run}>
          {again.is_busy ? 'Fetching…' : 'Fetch again'}
        </button>
      )}
    </p>
  )
}

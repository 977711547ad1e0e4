import { Avatar } from '../ui/pictures/avatar.tsx'

/** The picture of the agent who has a ticket, named for screen readers and for the pointer. */
export function Assignee({ user }: { user: { id: string; full_name: string } }) {
  const title = `Assigned to ${user.full_name}`
  return (
    <span title={title}>
      <span class="aside">{title}</span>
      <Avatar name={user.full_name} id={user.id} size="small" />
    </span>
  )
}

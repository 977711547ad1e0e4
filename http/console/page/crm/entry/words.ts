/** Words of the page in the contents of messages, beside those of people. */
export const words = {
  request_welcome: 'Opened the chat',
  referral: 'Came by a link or an advertisement',
  optin: 'Agreed to get messages',
  account_linking: 'Linked or unlinked an account',
  edit: 'Edited a message',
  revoke: 'Withdrew a message',
  pin: 'Pinned a message',
  unpin: 'Unpinned a message',
  in_group: 'In a group',
  in_group_title: 'Said in a group. An answer from here would go to the person alone.',
  filled_form: 'Filled in a form',
  unread_form: 'The answers could not be read. They came as:',
  media_placeholder: 'A file on the phone',
  imported: 'Imported',
  imported_title: 'From the history of the phone, imported at',
  not_passed: 'The channel did not pass on what it holds. The person may send it in another form.',
  may_call: 'Agreed to be called',
  may_not_call: 'Did not agree to be called',
}

/** Where our side wrote a message that was not sent through Parley. */
export const origins: Partial<Record<string, string>> = {
  phone: 'From the phone',
  app: 'From the app',
  meta_agent: 'From Meta’s agent',
  mail: 'From a mail program',
}

/** The app that holds a conversation which several apps of the business share. */
export const holders: Partial<Record<string, string>> = {
  parley: 'Parley',
  meta_agent: 'Meta’s agent',
  app: 'Another app',
  nobody: 'Nobody',
}

/** The same as a sentence. */
export const holderTexts: Partial<Record<string, string>> = {
  parley: 'You answer this conversation; another app gets copies.',
  meta_agent: 'Meta’s agent answers this conversation.',
  app: 'Another app answers this conversation.',
  nobody: 'No app has this conversation until the person writes.',
}

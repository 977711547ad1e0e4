export type Overlay = 'palette' | 'keys' | 'password' | 'settings'

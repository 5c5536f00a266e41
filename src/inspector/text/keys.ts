/** A key without the suffix that names a namespace. */
export const bareKey = (key: string): string => key.replace(/\..*/, '')

/** Whether the sandbox shows no more of a key than how it begins: only those that come with it are shown whole. */
export const isMasked = (key: string): boolean => key.includes('…')

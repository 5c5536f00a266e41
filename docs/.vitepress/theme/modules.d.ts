declare module '*.vue' {
  const component: unknown
  export default component
}

declare module '*.css'

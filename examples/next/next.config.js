export default { serverExternalPackages: ['petstore-sandbox'] }

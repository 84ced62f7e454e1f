window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  deepLinking: true,
  // It would ask a host of others.
  validatorUrl: null,
});

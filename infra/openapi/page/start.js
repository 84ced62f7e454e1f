const filter = document.querySelector('search');
const field = document.querySelector('#words');
const count = document.querySelector('output');

/** Finds the operations that have all words in their method, path, name, summary or tag. */
function filterOperations(operationsByTag, text) {
  const words = wordsOf(text);
  return operationsByTag
    .map((tagged, tag) =>
      tagged.update('operations', (operations) =>
        operations.filter((operation) => {
          const described = descriptionOf(operation, tag);
          return words.every((word) => described.includes(word));
        }),
      ),
    )
    .filter((tagged) => tagged.get('operations').size > 0);
}

function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function descriptionOf(known, tag) {
  const [name, summary] = ['operationId', 'summary'].map((member) =>
    known.getIn(['operation', member]),
  );
  return [known.get('method'), known.get('path'), name, summary, tag].join(' ').toLowerCase();
}

const viewer = window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  deepLinking: true,
  // The validator would send the document to a host of another company.
  validatorUrl: null,
  // The viewer's own filter has no label, searches only tags and paths, and shows no number.
  plugins: [{ fn: { opsFilter: filterOperations }, components: { FilterContainer: () => null } }],
  onComplete: () => {
    filter.hidden = false;
    show();
  },
});

/** Applies the filter in the field, and shows the number of matching operations. */
function show() {
  const isFiltered = wordsOf(field.value).length > 0;
  viewer.layoutActions.updateFilter(false);
  const all = shownCount();
  viewer.layoutActions.updateFilter(isFiltered && field.value);
  const shown = shownCount();
  count.value = isFiltered ? `${shown} of ${all} operations` : `${all} operations`;
  document.body.classList.toggle('filtered', isFiltered);
  document.body.classList.toggle('none', shown === 0);
}

function shownCount() {
  return viewer.specSelectors
    .taggedOperations()
    .reduce((sum, tagged) => sum + tagged.get('operations').size, 0);
}

field.addEventListener('input', show);

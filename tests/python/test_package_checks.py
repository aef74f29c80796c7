"""scikit-learn's own tests of estimators, without expected failures."""
import package
import specreg
from sklearn.utils.estimator_checks import check_estimator

# Fewer lambdas and one kernel: the checks are about behaviour, not about what is chosen.
QUICK = dict(kernel="rbf", param="lambda=log:1e-6:1:7")
ESTIMATORS = [specreg.SpectralRegressor(**QUICK), specreg.SpectralClassifier(**QUICK, missing="mean")]


def test_check_estimator():
    for estimator in ESTIMATORS:
        tags = estimator._get_tags()
        assert not tags["_xfail_checks"], tags
        check_estimator(estimator)


package.run(globals())

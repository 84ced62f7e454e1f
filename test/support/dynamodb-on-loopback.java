import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Starts DynamoDB Local only on loopback, at a free port, and prints the port. By default it listens on every address,
 * and a port that was chosen before the start could be taken by then.
 */
class OnLoopback {
    public static void main(String[] arguments) throws Exception {
        var proxy = ServerRunner.createServerFromCommandLineArgs(arguments);
        var field = proxy.getClass().getDeclaredField("server");
        field.setAccessible(true);
        var connector = (ServerConnector) ((Server) field.get(proxy)).getConnectors()[0];
        connector.setHost("127.0.0.1");
        connector.setPort(0);
        proxy.start();
        System.out.println("port " + connector.getLocalPort());
        proxy.join();
    }
}
